// Fails where a package.json asks for something that package-lock.json has not recorded: the half of `npm ci` that
// tells a forgotten commit. Plain JavaScript: it also runs on a system's Node 20.
import { readFileSync } from 'node:fs';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const { packages } = read('package-lock.json');
const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

const forgotten = ['', ...read('package.json').workspaces].flatMap((folder) => {
  const manifest = read(folder === '' ? 'package.json' : `${folder}/package.json`);
  return kinds.flatMap((kind) => {
    const recorded = packages[folder]?.[kind] ?? {};
    return Object.entries(manifest[kind] ?? {})
      .filter(([name, version]) => recorded[name] !== version)
      .map(([name, version]) => `${folder || 'root'}: ${name}@${version}`);
  });
});

if (forgotten.length > 0) {
  console.error(`package-lock.json lags behind, run npm install and commit it:\n  ${forgotten.join('\n  ')}`);
  process.exitCode = 1;
}
