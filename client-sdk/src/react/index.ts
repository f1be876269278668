export { ClientProvider, useClient } from './provider.ts';
export {
  useCanSignOut,
  useClientEvent,
  useCodes,
  useDayComplete,
  useDriver,
  useRoute,
  useRoutes,
  useStatus,
  useStop,
  useWatch,
} from './hooks.ts';
