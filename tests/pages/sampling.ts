const { LOOKS, CI } = process.env;
/** All rules of axe in every look (`npm run soak -- react-pages`). A theme differs from the first one by its colours alone. */
export const isThorough = LOOKS === 'all';
/** CI writes no pictures, leaves out looks whose colours and sizes others have, and has each row at one text size. */
export const isSampled = CI !== undefined && !isThorough;

/** The sizes at which a row of the driver's table is run. CI takes the largest text: less of a screen is in sight. */
export const atTextSizes = <Size extends { readonly textPercent: number }>(sizes: readonly Size[]): readonly Size[] =>
  isSampled ? sizes.filter(({ textPercent }) => textPercent > 100) : sizes;

/** In percent, for rows that differ in nothing else. */
export const textSizes = atTextSizes([{ textPercent: 100 }, { textPercent: 200 }]);
