export { ClientProvider, useClient } from './provider.ts';
export { useClientEvent, useCodes, useDriver, useRoute, useRoutes, useStatus, useStop, useWatch } from './hooks.ts';
