import { HostError } from '../../server/src/host/host.ts';

/** The failure of this work on the host; the test fails where it succeeded. */
export async function hostFailure(work: Promise<unknown>): Promise<HostError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (!(error instanceof HostError)) throw new Error('it did not fail as a host does', { cause: error });
  return error;
}
