import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An authority for time stamps (RFC 3161): `openssl ts` behind HTTP, with an RSA key and an authority above it. */
export interface TimeAuthority {
  readonly url: string;
  /** Of the authority above it, as PEM. */
  readonly certificate: string;
  readonly close: () => Promise<void>;
}

const configuration = `[tsa]
default_tsa = one
[one]
serial = serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[stamping]
extendedKeyUsage = critical,timeStamping
`;

/** What is unlike a good authority. */
export interface Flaw {
  /** Options of `openssl req` for the key of its certificate. */
  readonly key?: readonly string[];
  /** A file with the certificate and the key that confirm its own, in place of an authority. */
  readonly issuer?: string;
}

/** @param parent the folder of its files */
export async function openAuthority(
  parent: string,
  { key = ['-newkey', 'rsa:2048'], issuer }: Flaw = {},
): Promise<TimeAuthority> {
  const folder = await mkdtemp(join(parent, 'tsa-'));
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  await writeFile(join(folder, 'tsa.cnf'), configuration);
  await writeFile(join(folder, 'serial'), '01');
  await openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=Test root',
    '-keyout',
    'root.key',
    '-out',
    'root.pem',
  );
  await openssl('req', ...key, '-nodes', '-subj', '/CN=Test authority', '-keyout', 'tsa.key', '-out', 'tsa.csr');
  const signed = [
    '-CA',
    issuer ?? 'root.pem',
    '-CAkey',
    issuer ?? 'root.key',
    '-days',
    '2',
    '-extfile',
    'tsa.cnf',
    '-extensions',
    'stamping',
  ];
  await openssl('x509', '-req', '-in', 'tsa.csr', ...signed, '-out', 'tsa.pem');
  const answer = async (query: Buffer): Promise<Buffer> => {
    await writeFile(join(folder, 'query.tsq'), query);
    const keys = ['-signer', 'tsa.pem', '-inkey', 'tsa.key'];
    await openssl('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', ...keys, '-out', 'answer.tsr');
    return readFile(join(folder, 'answer.tsr'));
  };
  const server = createServer((request, response) => {
    buffer(request)
      .then(answer)
      .then(
        (bytes) => response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(bytes),
        () => response.writeHead(500).end(),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the authority has no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    certificate: await readFile(join(folder, 'root.pem'), 'utf8'),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      await rm(folder, { recursive: true });
    },
  };
}
