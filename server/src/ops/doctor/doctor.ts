import type { Db } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { listWorkers } from '../../replication/control/heartbeat.ts';
import { askForExamination, listExaminations } from '../../replication/control/host-examiner.ts';
import { doctorOperations, type HostExamination } from './contract.ts';

async function readDoctor(db: Db): Promise<HostExamination[]> {
  const found = await listExaminations(db);
  return found.map(({ node, at, go, findings }) => ({ node, at: at.toISOString(), go, findings: [...findings] }));
}

/** Operators: whether the host is set up for the service. */
export function doctorEndpoints(db: Db) {
  return {
    readDoctor: endpoint(doctorOperations.readDoctor, async () => ({ data: await readDoctor(db) })),

    askDoctor: endpoint(doctorOperations.askDoctor, async () => {
      const workers = await listWorkers(db);
      await askForExamination(db);
      return { data: { workers: workers.filter(({ alive }) => alive).length } };
    }),
  };
}
