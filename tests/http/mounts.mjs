// File systems for tests: small ones that fill up, and read-only ones. Only root may mount; what is mounted is gone with the tests.
import {execFileSync, spawnSync} from 'node:child_process';
import {closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmdirSync, rmSync, truncateSync, writeSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after} from 'node:test';

const PAGE = 4096;
const mounted = new Set();

function release(at) {
  execFileSync('umount', ['-l', at]);
  mounted.delete(at);
}
after(() => mounted.forEach(release));

// Why nothing can be mounted here, for `skip`.
export function noMounts() {
  const at = mkdtempSync(path.join(os.tmpdir(), 'toolgate-mount-'));
  const probe = spawnSync('mount', ['-t', 'tmpfs', 'none', at], {encoding: 'utf8'});
  if (probe.status === 0) spawnSync('umount', ['-l', at]);
  rmdirSync(at);
  return probe.status === 0 ? false : `nothing can be mounted here: ${(probe.stderr ?? probe.error?.message ?? '').trim()}`;
}

export class Mount {
  // `options` are those of a tmpfs: 'size=128k,nr_inodes=40'.
  constructor(at, options = 'size=50%,nr_inodes=0') {
    this.at = at;
    mkdirSync(at, {recursive: true});
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', at]);
    mounted.add(at);
  }

  makeReadOnly() {
    execFileSync('mount', ['-o', 'remount,ro', this.at]);
  }

  // Until nothing fits any more but for `pages`.
  fillBytes(pages = 0) {
    const filler = path.join(this.at, 'filler');
    const file = openSync(filler, 'w');
    let size = 0;
    try {
      for (;;) size += writeSync(file, Buffer.alloc(PAGE));
    } catch ({code}) {
      if (code !== 'ENOSPC') throw new Error(`the disk is not full but ${code}`);
    }
    closeSync(file);
    truncateSync(filler, size - pages * PAGE);
  }

  // Until there can be no further file or folder but for `names`.
  fillNames(names = 0) {
    let made = 0;
    try {
      for (;; ++made) closeSync(openSync(path.join(this.at, `filler${made}`), 'wx'));
    } catch ({code}) {
      if (code !== 'ENOSPC') throw new Error(`the disk is not full but ${code}`);
    }
    while (names-- > 0) rmSync(path.join(this.at, `filler${--made}`));
  }

  free() {
    for (const name of readdirSync(this.at).filter((each) => each.startsWith('filler'))) rmSync(path.join(this.at, name));
  }

  // After the gateway has ended, before its folder is removed.
  release() {
    if (mounted.has(this.at)) release(this.at);
  }
}

// Ends a gateway that has `mounts` in its folder.
export async function stopMounted(world, ...mounts) {
  world.gateway.signal('SIGTERM');
  await world.gateway.exited;
  for (const each of mounts) each.release();
  await world.stop();
}
