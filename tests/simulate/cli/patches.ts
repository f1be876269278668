import { findsMistake, patches } from '../patches.ts';

// Whether the simulator finds what it has to find: each patch makes one mistake that lost data elsewhere.

for (const patch of patches) {
  const isFound = findsMistake(patch);
  console.log(`${isFound ? 'found' : 'NOT FOUND'}: ${patch}`);
  if (!isFound) process.exitCode = 1;
}
