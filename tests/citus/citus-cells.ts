import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { jobsSchema } from '../../server/src/db/cell.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { createPool } from '../../server/src/db/pool.ts';
import { runCellsCommand } from '../../server/src/ops/cells/cells.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';

/** A cell of a Citus cluster, made and distributed by the commands of docs/scaling.md; removed at the end of the file. */
export interface CitusCell {
  readonly name: string;
  /** The address of its servers' role at the coordinator. */
  readonly url: string;
  /** Its worker, as `host:port`. */
  node(): Promise<string>;
  /** Moves it, as `npm run ops -- cells move` does. */
  moveTo(node: string): Promise<void>;
  check(): Promise<string>;
}

export interface Cluster {
  /** A superuser at the coordinator. */
  readonly admin: pg.Pool;
  /** The nodes for shards, as `host:port`. */
  workers(): Promise<string[]>;
  makeCell(name: string): Promise<CitusCell>;
}

const secret = 'of-a-test';

/** @param coordinator CITUS_URL */
export function openCluster(coordinator: string): Cluster {
  const admin = createPool({
    url: coordinator,
    name: 'test of citus',
    log: recordedLog(),
    size: 1,
    timeoutMs: 200_000,
  });
  atFileEnd(() => admin.end());
  const nodes = async (text: string, values: unknown[] = []) =>
    (await admin.query<{ node: string }>(text, values)).rows.map(({ node }) => node);
  return {
    admin,
    workers: () =>
      nodes(`select nodename || ':' || nodeport as node from pg_dist_node where shouldhaveshards order by 1`),
    async makeCell(title) {
      const name = `${title}_${randomBytes(3).toString('hex')}`;
      const urlOf = (role: string): string => {
        const url = new URL(coordinator);
        [url.username, url.password] = [`${role}_${name}`, secret];
        return url.href;
      };
      const roles = ['tailgate_owner', 'tailgate_app'].map((role) => `${role}_${name}`);
      atFileEnd(async () => {
        await admin.query(`drop schema if exists ${name} cascade`);
        await admin.query(`drop schema if exists ${jobsSchema(name)} cascade`);
        for (const role of roles) {
          await admin.query(`drop owned by ${role} cascade`);
          await admin.query(`drop role ${role}`);
        }
      });
      await runCellsCommand({ act: 'make', cell: name, yes: true }, admin);
      for (const role of roles) await admin.query(`alter role ${role} password '${secret}'`);
      await migrate(urlOf('tailgate_owner'), recordedLog());
      await runCellsCommand({ act: 'distribute', cell: name, yes: true }, admin);
      return {
        name,
        url: urlOf('tailgate_app'),
        async node() {
          const [node, ...others] = await nodes(
            `select distinct nodename || ':' || nodeport as node from citus_shards where table_name::text like $1`,
            [`${name}.%`],
          );
          if (node === undefined || others.length > 0) throw new Error(`${name} is on ${1 + others.length} nodes`);
          return node;
        },
        async moveTo(node) {
          const [host = '', port = ''] = node.split(':');
          await runCellsCommand({ act: 'move', cell: name, host, port: Number(port), yes: true }, admin);
        },
        check: () => runCellsCommand({ act: 'check', cell: name }, admin),
      };
    },
  };
}
