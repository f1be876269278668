import { char, coded, decimal, defineFile } from './columns.ts';
import { facility, route, weekEnd } from './route-files.ts';

/** Kept in a library of the service (SHADOW_LIBRARY), never in that of the back office. */
export const PODSHDP = defineFile('PODSHDP', 'SH', 'Routes in shadow, compared', {
  doorbell: 'silent',
  key: {
    SHFAC: facility,
    SHRTE: route,
    SHWKE: weekEnd,
    SHSEQ: decimal(7, 'Number of the difference, 0 = whole route'),
  },
  host: {},
  service: {
    SHSTP: decimal(3, "Stop, -1 = the route's own row or whole route"),
    SHVER: coded('S all same, D different, T missing there, H missing here', ['S', 'D', 'T', 'H']),
    SHCNT: decimal(7, 'Differences of the route, in its row 0'),
    SHFIL: char(10, 'File'),
    SHCOL: char(10, 'Column, blank = a row that one side lacks'),
    SHROW: char(60, 'Key of the row below the stop'),
    SHOUR: char(256, 'Value that the service would write'),
    SHTHR: char(256, 'Value of the other system'),
  },
  paths: [['SHVER', 'SHFIL', 'SHCOL']],
});
