import type { CheckSettings } from '../doctor/checks.ts';
import { examine } from '../doctor/examine.ts';
import type { Host } from '../host.ts';
import { exercise, type ExerciseReport } from './exercise.ts';

/** Connects as the service and as another program, exercises, closes. @throws HostError */
export async function exerciseAt(
  open: (program: string | undefined) => Promise<Host>,
  settings: CheckSettings,
  options: { readonly now: () => Date; readonly service: string },
): Promise<ExerciseReport> {
  const host = await open(undefined);
  try {
    const clerk = await open('EXERCISE');
    try {
      return await exercise({
        ...options,
        host,
        clerk,
        rings: settings.changes === 'doorbell',
        examine: () => examine(host, settings, { now: options.now, form: 'full' }),
      });
    } finally {
      await clerk.close();
    }
  } finally {
    await host.close();
  }
}
