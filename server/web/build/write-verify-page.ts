import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { singlePage } from './single-page.ts';
import { root, web } from './sources.ts';

// Part of `npm run build`: the package tailgate-verify has the page `verify.html` beside its program.

const folder = join(root, 'server/verify/dist');
await mkdir(folder, { recursive: true });
const page = await singlePage(join(web, 'verify'), { runtime: 'preact', development: false });
await writeFile(join(folder, 'verify.html'), page);
