/**
 * Loaded into a measured server (`--expose-gc --import`). A collection excludes garbage from the measurement and
 * returns empty pages to the system.
 */
process.on('SIGUSR2', () => {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  console.log('collected');
});
