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
  reportId: 'Made by the app. The same id with another content is a new revision.',
  loadId: 'Which load.',
  stopId: 'At which stop.',
  driverId: 'Who reports.',
  capturedAt: 'When it was seen. ISO 8601; answered in UTC.',
};
const sectionWords = {
  key: 'Such as `stacking`, `product_in_place`, `plastic_cooler_counts`, `plastic_dry_counts`, `trailer_cleanliness`.',
  rating: '1 to 5.',
  reason: 'Why, as the app offers it.',
  comment: 'Why, in words; may be empty.',
  photos_id: 'Asset id of one or more photos; may be empty.',
};

export const reportSchemas = [
  described('LoadReportInput', loadConditionReport, 'How a load arrived. All six fields are required.', {
    ...reportWords,
    sections: 'What was looked at.',
  }),
  described('LoadSectionInput', reportSection, 'One thing that was looked at.', sectionWords),
  described('LoadReportReceipt', loadReportReceipt, 'The report is stored.', {
    reportId: 'As sent.',
    receivedAt: 'UTC. Of a duplicate, when it was first taken in.',
    duplicate: 'Whether this very content was known.',
  }),
  described('LoadReport', listedReport, 'How a load arrived.', { ...reportWords, sections: 'What was looked at.' }),
  described('LoadSection', listedReport.shape.sections.def.element, 'One thing that was looked at.', sectionWords),
  described('LoadReportQuery', loadReportQuery, 'All that is given must hold.', {
    reportId: 'Exactly this report.',
    loadId: 'Of this load.',
    stopId: 'Of this stop.',
    driverId: 'By this driver.',
    capturedFrom: 'Instant, or a day (YYYY-MM-DD) for its beginning in UTC.',
    capturedTo: 'Instant, or a day for its end in UTC.',
    key: 'A section of this key, which must also fit the ratings.',
    minRating: 'A section rated so or better.',
    maxRating: 'A section rated so or worse.',
    revisions: '`latest` shows the newest revision of each report, `all` shows them all.',
    ...pageWords,
  }),
];
