import { writeFile } from 'node:fs/promises';

// A film for Chromium's fake camera: a drawn EAN-13 on a light case.

const width = 640;
const height = 480;
const leftOdd = [
  '0001101',
  '0011001',
  '0010011',
  '0111101',
  '0100011',
  '0110001',
  '0101111',
  '0111011',
  '0110111',
  '0001011',
];
/** The parities of the left half's digits, by the first digit. */
const parities = ['OOOOOO', 'OOEOEE', 'OOEEOE', 'OOEEEO', 'OEOOEE', 'OEEOOE', 'OEEEOO', 'OEOEOE', 'OEOEEO', 'OEEOEO'];

const invert = (bits: string): string => Array.from(bits, (bit) => (bit === '1' ? '0' : '1')).join('');
const reverse = (bits: string): string => Array.from(bits).toReversed().join('');

/** The 95 modules of an EAN-13 (ISO/IEC 15420): 1 is a bar. */
function modulesOf(code: string): string {
  const digits = Array.from(code, Number);
  const [first = 0] = digits;
  const odd = (digit = 0): string => leftOdd[digit] ?? '';
  const parity = parities[first] ?? '';
  const left = digits.slice(1, 7).map((digit, i) => (parity[i] === 'O' ? odd(digit) : reverse(invert(odd(digit)))));
  const right = digits.slice(7, 13).map((digit) => invert(odd(digit)));
  return `101${left.join('')}01010${right.join('')}101`;
}

/** Writes a film (Y4M) that shows the code all the time; without a code, an empty picture. */
export async function writeFilm(path: string, code?: string): Promise<void> {
  const luma = Buffer.alloc(width * height, 150);
  if (code !== undefined) drawCode(luma, modulesOf(code));
  const frame = [Buffer.from('FRAME\n'), luma, Buffer.alloc((width * height) / 2, 128)];
  const header = Buffer.from(`YUV4MPEG2 W${width} H${height} F30:1 Ip A1:1 C420jpeg\n`);
  await writeFile(path, Buffer.concat([header, ...frame, ...frame]));
}

function drawCode(luma: Buffer, modules: string): void {
  const module = 4;
  const start = (width - modules.length * module) / 2;
  // A white label with its quiet zone.
  for (let y = 130; y < 350; y++)
    luma.fill(235, y * width + start - 11 * module, y * width + width - start + 11 * module);
  for (let y = 150; y < 320; y++)
    for (const [i, bit] of Array.from(modules).entries())
      if (bit === '1') luma.fill(20, y * width + start + i * module, y * width + start + (i + 1) * module);
}
