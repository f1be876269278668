import { HostError, type Host } from '../host.ts';
import type { CheckSettings } from './checks.ts';
import { unreachable } from './connection.ts';
import { examine, type Diagnosis } from './examine.ts';
import type { ReadOptions } from './read-facts.ts';

/** Connects, examines, closes. A host that cannot be reached is a diagnosis as well. */
export async function examineAt(
  open: () => Promise<Host>,
  settings: CheckSettings,
  options: ReadOptions,
): Promise<Diagnosis> {
  try {
    const host = await open();
    try {
      return await examine(host, settings, options);
    } finally {
      await host.close();
    }
  } catch (error) {
    if (error instanceof HostError) return unreachable(error);
    throw error;
  }
}
