export type { Taken } from './scripted-ledger.ts';
export { ScriptedLedger } from './scripted-ledger.ts';
export type { Answer } from './scripted-auth.ts';
export { driverPassword } from './scripted-auth.ts';
export type { ScriptedFile } from './scripted-files.ts';
export { ScriptedFiles } from './scripted-files.ts';
export type { Hearing, ScriptedDesk, ScriptedOptions, ScriptedRequest, Wire } from './scripted-connections.ts';
export { ScriptedServer } from './scripted-server.ts';
export { assigned, sampleDocuments, sampleKey, sampleScope } from './sample-route.ts';
