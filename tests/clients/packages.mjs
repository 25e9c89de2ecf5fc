// Loaded with --import: lets the tests import npm packages from build/tools/clients, where
// scripts/install.sh puts them, and lets no file of tests hang.
import {existsSync} from 'node:fs';
import {registerHooks} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

import './leftovers.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const installed = path.join(
    process.env.TOOLGATE_CLIENTS ?? path.join(root, 'build/tools/clients'), 'package.json');
const tests = pathToFileURL(path.join(root, 'tests/')).href;

if (!existsSync(installed)) {
  console.error('the npm clients are not installed; run scripts/install.sh test');
  process.exit(1);
}

registerHooks({
  resolve(specifier, context, next) {
    const bare = !/^(\.|\/|node:|file:)/.test(specifier);
    if (!bare || !context.parentURL?.startsWith(tests)) return next(specifier, context);
    return next(specifier, {...context, parentURL: pathToFileURL(installed).href});
  },
});
