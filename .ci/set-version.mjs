// `npm run set-version -- 0.2.0` writes one version to all packages, to the dependencies between them, and to the files
// that quote it. Plain JavaScript: it also runs on a system's Node 20.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folders = ['', 'server', 'server/verify', 'server/web', 'sync-protocol', 'client-sdk'];
/** Files that quote the version, with the text around it. */
const quotes = {
  'client-sdk/src/engine/queue-connection.ts': (version) => `'tailgate-client-sdk/${version}'`,
  'server/src/http/openapi/examples.json': (version) => `"version": "${version}"`,
  'docs/openapi.json': (version) => `"version": "${version}"`,
};

const [next] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/.test(next ?? '')) fail('usage: npm run set-version -- 0.2.0');

const packages = folders.map((folder) => {
  const path = join(folder, 'package.json');
  return { path, manifest: readJson(path) };
});
const previous = packages[0].manifest.version;
const names = new Set(packages.map(({ manifest }) => manifest.name));

for (const { path, manifest } of packages) writeJson(path, withVersion(manifest));

const lock = readJson('package-lock.json');
for (const folder of folders) lock.packages[folder] = withVersion(lock.packages[folder]);
writeJson('package-lock.json', { ...lock, version: next });

for (const [path, quote] of Object.entries(quotes)) {
  const text = readText(path);
  if (!text.includes(quote(previous))) fail(`${path} does not contain ${quote(previous)}`);
  writeFileSync(join(root, path), text.replaceAll(quote(previous), quote(next)));
}

console.log(
  `${previous} -> ${next}. Next: move "Unreleased" of docs/CHANGELOG.md under ${next}, run npm test, commit.`,
);

/** The manifest with the new version; dependencies on other packages of this repository get it as well. */
function withVersion(manifest) {
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
    name,
    names.has(name) ? next : range,
  ]);
  return {
    ...manifest,
    version: next,
    ...(manifest.dependencies && { dependencies: Object.fromEntries(dependencies) }),
  };
}

function readText(path) {
  return readFileSync(join(root, path), 'utf8');
}

function readJson(path) {
  return JSON.parse(readText(path));
}

function writeJson(path, value) {
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
