import type { Edit } from './evidence.ts';

/** The author of what a restored server found on the host (docs/protocol.md, The feed). */
const ADOPTED = 'RESTORED';

/** Whether a restored server found this on the host, where the service itself had written it. */
export const isAdopted = ({ source, employee }: Edit): boolean => source === 'office' && employee === ADOPTED;
