// A test that failed may leave servers and programs behind, which would keep its file from ending until it is killed, without a
// report. Once all tests of a file have ended, what is left is ended too.
import {after} from 'node:test';

if (process.env.NODE_TEST_CONTEXT && process.argv[1]?.endsWith('.test.mjs')) {
  after(() => {
    for (const handle of process._getActiveHandles()) {
      if (handle.pid && handle.kill) handle.kill('SIGKILL');
      handle.unref?.();
    }
    setTimeout(() => process.exit(), 3000).unref();
  });
}
