export type { ShownUploads } from './provider.ts';
export { ClientProvider, useClient } from './provider.ts';
export {
  useCanSignOut,
  useClientEvent,
  useCodes,
  useConflicts,
  useDayComplete,
  useDraft,
  useDriver,
  useReceipt,
  useReview,
  useRoute,
  useRoutes,
  useRouteState,
  useStatus,
  useStop,
  useUploads,
  useWatch,
} from './hooks.ts';
