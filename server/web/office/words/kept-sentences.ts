import type { RowOf } from '../api/operations.ts';
import { t } from './words.ts';

type Kept = Pick<RowOf<'listQuarantine'>, 'route_id' | 'stop_id'>;

/** The subject of a kept change, in a few words. */
export const keptSubject = ({ route_id: route, stop_id: n }: Kept): string =>
  n === null ? t('quarantine.ofRoute', { route }) : t('quarantine.of', { route, n });
