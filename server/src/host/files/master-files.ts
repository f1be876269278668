import {
  binary,
  changedAt,
  changeNumber,
  char,
  coded,
  decimal,
  defineFile,
  flag,
  identity,
  timestamp,
} from './columns.ts';
import { facility, route, stop, weekEnd } from './route-files.ts';

// Master files of the back office, the service's own files on the host, and the three files by which the two sides
// signal each other.

export const ITCOLP = defineFile('ITCOLP', 'IC', 'Item collection settings', {
  key: { ICFAC: facility, ICITM: char(15, 'Item') },
  host: {
    ICNAM: char(30, 'Name'),
    ICDSC: char(50, 'Description'),
    ICREQF: flag('Required Y/N'),
    ICTOTF: flag('Count in totes Y/N'),
    ICPHOF: flag('Photo allowed Y/N'),
    ICCTYP: char(12, 'Container type'),
    ICSEC: char(12, 'Section'),
  },
  service: {},
});

export const EMPMSTP = defineFile('EMPMSTP', 'EM', 'Employee master', {
  key: { EMEMP: char(10, 'Employee') },
  host: {
    EMNAM: char(40, 'Name'),
    EMPHN: char(15, 'Phone'),
    EMSTS: coded('A active, I inactive', ['A', 'I']),
    EMFAC: facility,
    EMJOB: char(10, 'Job'),
  },
  service: {},
});

export const CTLCDP = defineFile('CTLCDP', 'CC', 'Control codes', {
  key: { CCTYP: char(10, 'STPEXC CRDRSN INVEXC CONTYP SECTN TRLARE'), CCCOD: char(12, 'Code') },
  host: {
    CCDSC: char(40, 'Description'),
    CCCAT: char(12, 'Category; for STPEXC S, R or B'),
    CCDRVF: flag('Shown to drivers Y/N'),
    CCSRF: flag('For skip and refuse Y/N'),
    CCPHOF: flag('Photo required Y/N'),
    CCCMTF: flag('Comment required Y/N'),
    CCSEQ: decimal(5, 'Sort order'),
    CCSTS: coded('A active, I inactive', ['A', 'I']),
  },
  service: {},
});

export const INVHDP = defineFile('INVHDP', 'IH', 'Invoice headers', {
  key: { IHINV: char(10, 'Invoice') },
  host: {
    IHCUS: char(10, 'Customer'),
    IHDAT: decimal(8, 'Invoice date'),
    IHFAC: facility,
    IHRTE: route,
    IHWKE: weekEnd,
    IHSTP: stop,
  },
  service: {},
  paths: [['IHFAC', 'IHRTE', 'IHWKE']],
});

export const CUSMSP = defineFile('CUSMSP', 'CM', 'Customer master', {
  key: { CMCUS: char(10, 'Customer') },
  host: {
    CMNAM: char(40, 'Name'),
    CMVRTF: flag('Verify returns Y/N'),
    CMPHN: char(15, 'Phone'),
    CMEML: char(80, 'E-mail of the customer'),
    CMCEML: char(80, 'E-mail of the broker or manager'),
    CMSLR: char(10, 'Sales rep'),
    CMAD1: char(40, 'Address line 1'),
    CMAD2: char(40, 'Address line 2'),
    CMAD3: char(40, 'Address line 3'),
    CMCTY: char(30, 'City'),
    CMST: char(2, 'State'),
    CMZIP: char(10, 'Postal code'),
    CMLAT: decimal(9, 'Latitude', 6),
    CMLON: decimal(9, 'Longitude', 6),
  },
  service: {},
  paths: [['CMSLR']],
});

export const SLSREPP = defineFile('SLSREPP', 'SR', 'Sales reps', {
  key: { SRID: char(10, 'Sales rep') },
  host: { SRNAM: char(40, 'Name'), SRPHN: char(15, 'Phone') },
  service: {},
});

export const FACMSTP = defineFile('FACMSTP', 'FA', 'Facilities', {
  key: { FAFAC: facility },
  host: { FANAM: char(30, 'Name'), FATZ: char(40, 'IANA time zone') },
  service: {},
});

export const ASSHDP = defineFile('ASSHDP', 'AH', 'Assets', {
  doorbell: 'silent',
  key: { AHID: char(16, 'Asset id') },
  host: {},
  service: {
    AHBAT: char(16, 'First asset of the upload'),
    AHSEQ: decimal(3, 'Sequence in the upload'),
    AHNAM: char(64, 'File name'),
    AHMIM: char(50, 'MIME type'),
    AHSIZ: decimal(11, 'Size in bytes'),
    AHSHA: char(64, 'SHA-256, hexadecimal'),
    AHCHKN: decimal(7, 'Number of chunks'),
    AHSTS: coded('L loading, R ready, M missing', ['L', 'R', 'M']),
  },
});

export const ASSCHP = defineFile('ASSCHP', 'AC', 'Asset chunks', {
  doorbell: 'silent',
  key: { ACID: char(16, 'Asset id'), ACSEQ: decimal(5, 'Sequence') },
  host: {},
  service: { ACLEN: decimal(5, 'Length in bytes'), ACDTA: binary(16_000, 'Bytes') },
});

export const PODUSRP = defineFile('PODUSRP', 'PU', 'Users of the driver service', {
  doorbell: 'silent',
  key: { PUEMP: char(10, 'Employee') },
  host: {},
  service: {
    PUREGF: flag('Registered Y/N'),
    PURGDT: decimal(8, 'Registered on'),
    PULSDT: decimal(8, 'Last seen on'),
    PULSTM: decimal(6, 'Last seen at'),
    PULCKF: flag('Locked Y/N'),
  },
});

export const LCRHDP = defineFile('LCRHDP', 'LH', 'Load condition reports', {
  doorbell: 'silent',
  key: { LHRPT: char(64, 'Report') },
  host: {},
  service: {
    LHLOD: char(20, 'Load'),
    LHSTP: char(10, 'Stop'),
    LHDRV: char(10, 'Driver'),
    LHUTC: char(26, 'Captured at in UTC, ISO 8601'),
    LHDAT: decimal(8, 'Captured on'),
    LHTIM: decimal(6, 'Captured at'),
    LHREV: decimal(3, 'Revision'),
  },
});

export const LCRSCP = defineFile('LCRSCP', 'LS', 'Load condition sections', {
  doorbell: 'silent',
  key: { LSRPT: char(64, 'Report'), LSSEQ: decimal(3, 'Sequence') },
  host: {},
  service: {
    LSKEY: char(30, 'Section'),
    LSRAT: decimal(1, 'Rating 1 to 5'),
    LSRSN: char(100, 'Reason'),
    LSCMT: char(256, 'Comment'),
    LSTXTL: flag('A text of this row was cut or changed Y/N'),
    LSPHO: char(16, 'Photos, asset id'),
  },
});

export const PODRPLP = defineFile('PODRPLP', 'RL', 'Replication log', {
  doorbell: 'silent',
  key: { RLTRC: char(12, 'Trace id'), RLSEQ: decimal(15, 'Replication sequence') },
  host: {},
  service: {
    RLENT: char(10, 'File or entity'),
    RLKEY: char(60, 'Key'),
    RLDAT: decimal(8, 'Written on'),
    RLTIM: decimal(6, 'Written at'),
    RLSTS: coded('A applied, P parked', ['A', 'P']),
    RLERR: char(7, 'Error, SQLSTATE or message id'),
    RLMSG: char(132, 'Message'),
    RLWHO: coded('D driver, O operator, C clerk, blank = service', ['D', 'O', 'C']),
    RLUSR: char(18, 'Employee, operator, or user of the host'),
    RLCOL: char(10, 'Changed column'),
    RLOLD: char(256, 'Its value before'),
    RLNEW: char(256, 'Its value since'),
  },
  assigned: {
    RLCHTS: changedAt('Written at, clock of the host'),
    RLCHSQ: changeNumber('Number of the line, in order'),
  },
  paths: [['RLCHSQ'], ['RLKEY']],
});

export const PODRCNP = defineFile('PODRCNP', 'RN', 'Reconciliation counts', {
  doorbell: 'silent',
  key: {
    RNFAC: facility,
    RNRTE: char(10, 'Route, blank = all of the facility'),
    RNWKE: decimal(8, 'Week ending, YYYYMMDD, 0 = facility'),
    RNDAY: decimal(8, 'Day of the close, or day that ended'),
    RNOCC: coded("C close of the route, D day's end", ['C', 'D']),
    RNKND: coded('S stops, L lines, E exceptions, P photos', ['S', 'L', 'E', 'P']),
  },
  host: {},
  service: {
    RNACC: decimal(7, 'Accepted from drivers and office'),
    RNHST: decimal(7, 'Of these found on the host'),
    RNPRK: decimal(7, 'Of these parked or skipped'),
    RNLAT: decimal(7, 'Of these recorded after the close'),
    RNXTR: decimal(7, 'On the host, not accepted'),
    RNDIF: flag('Host and service differ Y/N'),
    RNCDT: decimal(8, 'Counted on'),
    RNCTM: decimal(6, 'Counted at'),
  },
  paths: [['RNDIF', 'RNDAY']],
});

export const PODCHGP = defineFile('PODCHGP', 'CH', 'Change doorbell', {
  doorbell: 'silent',
  key: { CHSEQ: identity('Sequence') },
  host: {
    CHFIL: char(10, 'File'),
    CHOP: coded('I insert, U update, D delete', ['I', 'U', 'D']),
    CHKEY: char(60, 'Key columns at full width, side by side'),
    CHUSR: char(18, 'User'),
    CHPGM: char(18, 'Program'),
    CHTS: timestamp('Changed at'),
  },
  service: {},
});

export const PODCTLP = defineFile('PODCTLP', 'CT', 'Operator switch, one row', {
  doorbell: 'silent',
  key: {},
  host: {
    CTHOLD: flag('Hold replication Y/N'),
    CTRSN: char(50, 'Reason'),
    CTUSR: char(18, 'Set by'),
    CTTS: timestamp('Set at'),
    CTLAY: decimal(5, 'Version of the layout of this library'),
  },
  service: {
    CTQUI: char(26, 'No writes since, UTC, ISO 8601, blank = writing'),
    CTSEN: char(26, 'Service last wrote this row, UTC, ISO 8601'),
    CTBEH: decimal(9, 'Changes that the host lacks'),
    CTPRK: decimal(7, 'Rows parked'),
    CTERR: char(132, 'Last error'),
    CTERU: char(26, 'Last error at, UTC, ISO 8601'),
  },
});
