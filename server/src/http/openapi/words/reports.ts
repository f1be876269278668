import {
  listedReport,
  loadConditionReport,
  loadReportQuery,
  loadReportReceipt,
  reportSection,
} from '@tailgate/sync-protocol';
import { described, pageWords } from '../described.ts';

// Interface.md part 2 and 4.6 with contract §6. Camel case is the document's own.

const reportWords = {
  reportId: 'Created by the app. A second report with this id and other content is a new revision.',
  loadId: 'The load id.',
  stopId: 'The stop id.',
  driverId: 'The id of the reporting driver.',
  capturedAt: 'Time of the inspection, ISO 8601. Answers contain it in UTC.',
};
const sectionWords = {
  key: 'Such as `stacking`, `product_in_place`, `plastic_cooler_counts`, `plastic_dry_counts`, `trailer_cleanliness`.',
  rating: '1 to 5.',
  reason: 'The reason, from the list of the app.',
  comment: 'A comment of the driver; may be empty.',
  photos_id: 'Asset id of one or more photos; may be empty.',
};

export const reportSchemas = [
  described(
    'LoadReportInput',
    loadConditionReport,
    'The condition of a load on arrival. All six fields are required.',
    {
      ...reportWords,
      sections: 'The inspected aspects of the load.',
    },
  ),
  described('LoadSectionInput', reportSection, 'One inspected aspect of a load.', sectionWords),
  described('LoadReportReceipt', loadReportReceipt, 'The report is stored.', {
    reportId: 'The `reportId` of the request.',
    receivedAt: 'Time of receipt, UTC. For a duplicate: of the first receipt.',
    duplicate: 'Whether the server already had this content.',
  }),
  described('LoadReport', listedReport, 'The condition of a load on arrival.', {
    ...reportWords,
    sections: 'The inspected aspects of the load.',
  }),
  described('LoadSection', listedReport.shape.sections.def.element, 'One inspected aspect of a load.', sectionWords),
  described('LoadReportQuery', loadReportQuery, 'A report must match all given parameters.', {
    reportId: 'Report id.',
    loadId: 'Load id.',
    stopId: 'Stop id.',
    driverId: 'Id of the reporting driver.',
    capturedFrom: 'Instant, or a day (YYYY-MM-DD) for its beginning in UTC.',
    capturedTo: 'Instant, or a day for its end in UTC.',
    key: 'Key of a section. The same section must match the ratings.',
    minRating: 'Minimum rating of a section.',
    maxRating: 'Maximum rating of a section.',
    revisions: '`latest`: the newest revision of each report; `all`: every revision.',
    ...pageWords,
  }),
];
