// One article has several numbers: GTIN-8, -12 (UPC-A), -13 (EAN-13), -14 (a case), UPC-E, and GS1 texts around them.

/** A number as it was read or typed, without blanks, separators and a scanner's symbology prefix. */
export function cleanCode(text: string): string {
  // `]C1` and the like: the prefix by which some scanners name the symbology.
  const code = text
    .trim()
    .replace(/^\][A-Za-z]\d/, '')
    .replaceAll(/[\s-]/g, '');
  // GS1: application identifier 01 is a GTIN-14, with more fields behind it.
  const gtin = /^(?:\(01\)|01(?=\d{14}))(\d{14})/.exec(code)?.[1];
  return (gtin ?? code).toUpperCase();
}

/** The keys by which numbers are compared: two codes with a common key mean the same article. */
export function keysOf(text: string): string[] {
  const code = cleanCode(text);
  if (code === '') return [];
  if (!isNumber(code)) return [code];
  const upcA = code.length === 8 ? expandUpcE(code) : undefined;
  // A GTIN keeps its meaning with leading zeros: UPC-A is EAN-13 with one.
  return [code, ...(upcA === undefined ? [] : [upcA])].map((each) => each.replace(/^0+(?=\d)/, ''));
}

/** The article inside a case: the digits of a GTIN without the case's indicator, leading zeros and the check digit. */
export function articleOf(text: string): string | undefined {
  const code = cleanCode(text);
  if (!isNumber(code) || code.length < 12 || code.length > 14) return undefined;
  const whole = code.padStart(14, '0');
  return hasCheckDigit(whole) ? whole.slice(1, 13) : undefined;
}

/** Whether the last digit of a GTIN (8, 12, 13 or 14 digits) fits the others. Undefined for other texts. */
export function isCheckDigitRight(text: string): boolean | undefined {
  const code = cleanCode(text);
  if (!isNumber(code) || ![8, 12, 13, 14].includes(code.length)) return undefined;
  return hasCheckDigit(code) || (code.length === 8 && hasCheckDigit(expandUpcE(code) ?? ''));
}

const isNumber = (code: string): boolean => /^\d+$/.test(code);

function hasCheckDigit(code: string): boolean {
  const sum = Array.from(code.padStart(14, '0'), (digit, place) => Number(digit) * (place % 2 === 0 ? 3 : 1)).reduce(
    (all, each) => all + each,
    0,
  );
  return code !== '' && sum % 10 === 0;
}

/** UPC-E leaves out zeros of a UPC-A; its sixth digit names which (GS1 General Specifications, 5.2.2.4.2). */
function expandUpcE(code: string): string | undefined {
  const [system = '', a = '', b = '', c = '', d = '', e = '', rule = '', check = ''] = code;
  if (system !== '0' && system !== '1') return undefined;
  const middle =
    rule <= '2'
      ? `${a}${b}${rule}0000${c}${d}${e}`
      : rule === '3'
        ? `${a}${b}${c}00000${d}${e}`
        : rule === '4'
          ? `${a}${b}${c}${d}00000${e}`
          : `${a}${b}${c}${d}${e}0000${rule}`;
  return `${system}${middle}${check}`;
}
