export { ClientProvider, useClient } from './provider.ts';
export {
  useCanSignOut,
  useClientEvent,
  useCodes,
  useConflicts,
  useDayComplete,
  useDriver,
  useReview,
  useRoute,
  useRoutes,
  useStatus,
  useStop,
  useWatch,
} from './hooks.ts';
