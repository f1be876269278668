import { changedAt, changeNumber, char, coded, decimal, defineFile, flag } from './columns.ts';

// Files that belong to one route. The columns of the parent's key come first in each, under the file's own prefix.

export const facility = char(5, 'Facility');
export const route = char(10, 'Route');
export const weekEnd = decimal(8, 'Week ending, YYYYMMDD');
export const stop = decimal(3, 'Stop, 999 = warehouse');
const invoice = char(10, 'Invoice');
const item = char(15, 'Item');
const occurrence = decimal(5, 'n-th line of invoice and item');
const sent = decimal(15, 'Replication sequence: epoch and route version');

export const RTHDRP = defineFile('RTHDRP', 'RH', 'Route headers', {
  key: { RHFAC: facility, RHRTE: route, RHWKE: weekEnd },
  host: {
    RHNAM: char(30, 'Route name'),
    RHDSDT: decimal(8, 'Dispatched on, 0 = still being planned'),
    RHTRLR: char(10, 'Trailer'),
    RHEMLF: flag('Proof-of-delivery e-mail Y/N'),
  },
  service: {
    RHPODS: coded('Pod status: blank open, C closed', ['C']),
    RHRETM: coded('Return marker Y', ['Y']),
    RHCLDT: decimal(8, 'Closed on'),
    RHCLTM: decimal(6, 'Closed at'),
    RHCLBY: coded('Closed by: D driver, A autoclose, F forced', ['D', 'A', 'F']),
    RHOPEN: decimal(5, 'Rows parked or evidence missing at close'),
    RHLATE: decimal(5, 'Rows that came after the close'),
  },
});

export const RTDRVP = defineFile('RTDRVP', 'RD', 'Route drivers', {
  key: { RDFAC: facility, RDRTE: route, RDWKE: weekEnd, RDEMP: char(10, 'Employee') },
  host: { RDTYP: char(10, 'Driver type'), RDSEQ: decimal(3, 'Sequence') },
  service: { RDSGNF: flag('Signed in Y/N'), RDSGDT: decimal(8, 'Signed in on'), RDSGTM: decimal(6, 'Signed in at') },
});

export const RTSTPP = defineFile('RTSTPP', 'RS', 'Route stops', {
  key: { RSFAC: facility, RSRTE: route, RSWKE: weekEnd, RSSTP: stop },
  host: {
    RSTYP: coded('D delivery, B backhaul, W warehouse', ['D', 'B', 'W']),
    RSCUS: char(10, 'Customer'),
    RSSEQ: decimal(3, 'Sequence on the route'),
    RSETA: decimal(6, 'Planned arrival, HHMMSS'),
  },
  service: { RSSTS: coded('Status P D S R C', ['P', 'D', 'S', 'R', 'C']), RSARVF: flag('Arrived Y/N') },
  paths: [['RSCUS']],
});

export const RTSTUP = defineFile('RTSTUP', 'RU', 'Stop results', {
  key: { RUFAC: facility, RURTE: route, RUWKE: weekEnd, RUSTP: stop },
  host: {},
  service: {
    RUSTS: coded('Status P D S R C', ['P', 'D', 'S', 'R', 'C']),
    RUFLWC: char(3, 'Follow-up reason'),
    RUFLWF: flag('Follow-up Y/N'),
    RUSDT: decimal(8, 'Delivery started on'),
    RUSTM: decimal(6, 'Delivery started at'),
    RUEDT: decimal(8, 'Delivery ended on'),
    RUETM: decimal(6, 'Delivery ended at'),
    RUUTC: char(26, 'Event time in UTC, ISO 8601'),
    RULAT: decimal(9, 'Latitude', 6),
    RULON: decimal(9, 'Longitude', 6),
    RUDRV: char(10, 'Driver who delivered, skipped or refused'),
    RUSEMP: char(10, 'Receiving employee of the store'),
    RUSNAM: char(40, 'Name of the receiving employee'),
    RUCMT: char(256, 'Driver comment'),
    RUCMTL: flag('A text of this row was cut or changed Y/N'),
    RUSKRC: char(3, 'Skip or refuse reason'),
    RUSKDT: decimal(8, 'Skipped or refused on'),
    RUSKTM: decimal(6, 'Skipped or refused at'),
    RUSKCM: char(256, 'Skip or refuse comment'),
    RUSIG: char(16, 'Signature, asset id'),
    RUARDT: decimal(8, 'Arrival recorded on'),
    RUARTM: decimal(6, 'Arrival recorded at'),
    RURPSQ: sent,
    // The last one: an index finds a stop by the end of its confirmed rows.
    RUTRC: char(12, 'Trace id of the last write'),
  },
  assigned: { RUCHTS: changedAt('Changed at, clock of the host'), RUCHSQ: changeNumber('Number of the last change') },
  // A stop without an end (RUEDT = 0) is skipped or refused: the same path leads to it by RUSKDT.
  paths: [['RUFAC', 'RUEDT', 'RUSKDT'], ['RUCHSQ']],
});

export const RTEMLP = defineFile('RTEMLP', 'RE', 'Stop OSD e-mails', {
  key: { REFAC: facility, RERTE: route, REWKE: weekEnd, RESTP: stop, REMSEQ: decimal(3, 'Sequence') },
  host: {},
  service: { REMADR: char(254, 'E-mail address') },
});

export const RTPRDP = defineFile('RTPRDP', 'RP', 'Manifest lines', {
  key: { RPFAC: facility, RPRTE: route, RPWKE: weekEnd, RPSTP: stop, RPINV: invoice, RPITM: item, RPLIN: occurrence },
  host: {
    RPNAM: char(30, 'Item name'),
    RPDSC: char(50, 'Item description'),
    RPQTY: decimal(7, 'Quantity ordered'),
    RPBUPC: char(20, 'Box barcode'),
    RPIUPC: char(20, 'Item barcode'),
    RPSEC: char(12, 'Section'),
    RPCTYP: char(12, 'Container type'),
    RPTARE: char(8, 'Trailer area'),
    RPACT: char(10, 'Action type, blank = none'),
  },
  service: {},
  paths: [['RPFAC', 'RPITM']],
});

export const RTPRUP = defineFile('RTPRUP', 'RQ', 'Line results', {
  key: {
    RQFAC: facility,
    RQRTE: route,
    RQWKE: weekEnd,
    RQSTP: stop,
    RQINV: invoice,
    RQITM: item,
    RQLIN: occurrence,
    RQTYP: coded('P product, C collection', ['P', 'C']),
  },
  host: {},
  service: {
    RQDLV: decimal(7, 'Delivered'),
    RQRTN: decimal(7, 'Returned'),
    RQPAL: decimal(7, 'Pallets delivered'),
    RQACCF: flag('Accounting complete Y/N'),
    RQACTD: decimal(7, 'Delivered by action'),
    RQIMG: char(16, 'First photo, asset id'),
    RQIMGN: decimal(3, 'Number of photos'),
    RQOPNF: char(1, 'Reserved, blank'),
    RQRPSQ: sent,
  },
});

export const RTIMGP = defineFile('RTIMGP', 'RI', 'Photos of lines, overage and stops', {
  key: {
    RIFAC: facility,
    RIRTE: route,
    RIWKE: weekEnd,
    RISTP: stop,
    RIQTYP: coded('P product, C collection, O overage, S stop', ['P', 'C', 'O', 'S']),
    RIINV: invoice,
    RIITM: item,
    RILIN: occurrence,
    RISEQ: decimal(3, 'Sequence'),
  },
  host: {},
  service: { RIASS: char(16, 'Asset id') },
});

export const RTCOLP = defineFile('RTCOLP', 'RC', 'Expected collections', {
  key: { RCFAC: facility, RCRTE: route, RCWKE: weekEnd, RCSTP: stop, RCITM: item },
  host: { RCINV: invoice, RCQTY: decimal(7, 'Quantity expected') },
  service: {},
  paths: [['RCFAC', 'RCITM']],
});

export const RTOSDP = defineFile('RTOSDP', 'OS', 'Overages, shortages, damages', {
  key: {
    OSFAC: facility,
    OSRTE: route,
    OSWKE: weekEnd,
    OSSTP: stop,
    OSTYP: coded('P product, C collection, O overage', ['P', 'C', 'O']),
    OSSEQ: decimal(5, 'Number in its stop and type'),
  },
  host: { OSPRCF: flag('Credited Y/N'), OSCRDN: char(10, 'Credit note'), OSPRDT: decimal(8, 'Credited on') },
  service: {
    OSITM: char(15, 'Item, blank = overage'),
    OSINV: invoice,
    OSBAR: char(20, 'Barcode, blank if itemized'),
    OSITMF: flag('Itemized Y/N'),
    OSOID: char(6, 'OSD id of the group'),
    OSPAR: char(6, 'OSD parent of the entry'),
    OSCOD: char(3, 'OSD code'),
    OSQTY: decimal(7, 'Quantity'),
    OSQTYP: coded('U units, C cases, blank unknown', ['U', 'C']),
    OSCMT: char(256, 'Comment'),
    OSTXTL: flag('A text of this row was cut or changed Y/N'),
    OSIMG: char(16, 'Photo, asset id'),
    OSGRP: decimal(3, 'Order of the group'),
    OSENT: decimal(3, 'Order of the entry in its group'),
    OSDELF: flag('Deleted by the driver Y/N'),
    OSREV: decimal(3, 'Revision, above 0 = after a credit'),
    OSRPSQ: sent,
  },
});
