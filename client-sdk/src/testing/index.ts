export type { Taken } from './scripted-ledger.ts';
export { ScriptedLedger } from './scripted-ledger.ts';
export { driverPassword } from './scripted-auth.ts';
export type { ScriptedOptions } from './scripted-server.ts';
export { ScriptedServer } from './scripted-server.ts';
export { assigned, sampleDocuments, sampleKey, sampleScope } from './sample-route.ts';
