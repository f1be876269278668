/** Loaded into a server that is measured (`--expose-gc --import`): what it holds is told apart from what it has dropped. */
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  console.log('collected');
});
