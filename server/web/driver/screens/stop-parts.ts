/** Sheets and screens over a stop: one file of the build. */
export { CommentSheet } from './comment.tsx';
export { CountsSheet } from './counts.tsx';
export { DisplaySheet } from './display.tsx';
export { ExceptionSheet, MoreSheet } from './exception.tsx';
export { HistorySheet } from './history.tsx';
export { LineSheet } from './line.tsx';
export { OverageSheet } from './overage.tsx';
export { ReturnSheet } from './return.tsx';
export { SignatureScreen } from './signature.tsx';
export { StopPhotosSheet } from './stop-photos.tsx';
export { WhereSheet } from './where.tsx';
