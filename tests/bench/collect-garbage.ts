/**
 * Loaded into a server that is measured (`--expose-gc --import`): what it holds is told apart from what it has dropped,
 * and what the engine has emptied goes back to the system.
 */
process.on('SIGUSR2', () => {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  console.log('collected');
});
