import { PODSHDP } from './comparison-file.ts';
import type { HostFile, HostPartOf, KeyOf, RecordOf, ServicePartOf } from './columns.ts';
import * as masters from './master-files.ts';
import * as routes from './route-files.ts';

const filesOfLibrary = { ...routeFiles(), ...masterFiles() };

/** Every file of the legacy host that the service uses, by its system name. */
export const hostFiles = { ...filesOfLibrary, PODSHDP };

export type HostFileName = keyof typeof hostFiles;

/** A whole row of a file without its audit tail; the compiler checks its rendering column by column. */
export type HostRecord<Name extends HostFileName> = RecordOf<(typeof hostFiles)[Name]>;
export type HostKey<Name extends HostFileName> = KeyOf<(typeof hostFiles)[Name]>;
/** Key and host-owned columns. */
export type HostPart<Name extends HostFileName> = HostPartOf<(typeof hostFiles)[Name]>;
/** Key and service-owned columns. */
export type ServicePart<Name extends HostFileName> = ServicePartOf<(typeof hostFiles)[Name]>;

/** The files of the back office's library: all but the comparison (SHADOW_LIBRARY). */
export const hostFileNames: readonly HostFileName[] = Object.keys(filesOfLibrary).filter(isHostFileName);

export function isHostFileName(name: string): name is HostFileName {
  return Object.hasOwn(filesOfLibrary, name);
}

/** The definition of any file, for code that treats all files alike (DDL, layout sheet, diagnostics). */
export function hostFile(name: HostFileName): HostFile {
  return hostFiles[name];
}

// Listed one by one: a module's exports have the order of the alphabet in Node and that of the source in a bundler. The
// printed script must not differ from the one that a DBA reviewed.

function routeFiles() {
  const { RTHDRP, RTDRVP, RTSTPP, RTSTUP, RTEMLP, RTPRDP, RTPRUP, RTIMGP, RTCOLP, RTOSDP } = routes;
  return { RTHDRP, RTDRVP, RTSTPP, RTSTUP, RTEMLP, RTPRDP, RTPRUP, RTIMGP, RTCOLP, RTOSDP };
}

function masterFiles() {
  const { ITCOLP, EMPMSTP, CTLCDP, INVHDP, CUSMSP, SLSREPP, FACMSTP } = masters;
  const { ASSHDP, ASSCHP, PODUSRP, LCRHDP, LCRSCP, PODRPLP, PODRCNP, PODCHGP, PODCTLP } = masters;
  const read = { ITCOLP, EMPMSTP, CTLCDP, INVHDP, CUSMSP, SLSREPP, FACMSTP };
  return { ...read, ASSHDP, ASSCHP, PODUSRP, LCRHDP, LCRSCP, PODRPLP, PODRCNP, PODCHGP, PODCTLP };
}
