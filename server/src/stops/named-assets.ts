import type { StopRows } from './host-rows.ts';

/** The ids of all files that a stop's rows name: signature, photos of lines, overage and exceptions. */
export function namedAssets({ RTPRUP, RTOSDP, RTIMGP, RTSTUP }: StopRows): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { RQIMG } of RTPRUP) named.add(RQIMG);
  for (const { OSIMG } of RTOSDP) named.add(OSIMG);
  for (const { RIASS } of RTIMGP) named.add(RIASS);
  for (const { RUSIG } of RTSTUP) named.add(RUSIG);
  named.delete('');
  return named;
}
