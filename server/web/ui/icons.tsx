/** Stroked paths on a grid of 24; `currentColor` gives the colour. */
const paths = {
  arrow: 'M4 12h15M13 6l6 6-6 6',
  back: 'M15 5l-7 7 7 7',
  box: 'M3.5 8L12 3.5 20.5 8v8.5L12 21l-8.5-4.5zM3.5 8l8.5 4.5L20.5 8M12 12.5V21',
  bulk: 'M4 6.5h2M4 12h2M4 17.5h2M10 6.5h10M10 12h10M10 17.5h10',
  call: 'M6 3.5h3l1.7 4.6-2.2 1.7a12 12 0 0 0 5.7 5.7l1.7-2.2 4.6 1.7v3a2 2 0 0 1-2.2 2A17 17 0 0 1 4 5.7a2 2 0 0 1 2-2.2z',
  cam: 'M3.5 7.5h4l1.6-2.6h5.8l1.6 2.6h4v11.6h-17zM8.4 13a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0',
  check: 'M4.5 12.5l5 5 10-11',
  chev: 'M9 5l7 7-7 7',
  cloud: 'M7 19a4.6 4.6 0 0 1-.6-9.1A6.5 6.5 0 0 1 18.7 11 4.1 4.1 0 0 1 18 19z',
  clock: 'M3.2 12a8.8 8.8 0 1 0 17.6 0a8.8 8.8 0 1 0 -17.6 0M12 7v5.3l3.4 2',
  comment: 'M4 4.5h16v11.5h-8.5L7 20.5V16H4z',
  day: 'M3 18.5h18M6.5 18.5a5.5 5.5 0 0 1 11 0M12 5v4M4.5 10l2 2M19.5 10l-2 2',
  dl: 'M12 3.5V15M7.5 10.5L12 15l4.5-4.5M4.5 20.5h15',
  down: 'M5 9l7 7 7-7',
  file: 'M6 3h8l4.5 4.5V21H6zM14 3v4.5h4.5',
  home: 'M4 11l8-7 8 7v9.5h-5.5v-6h-5v6H4z',
  inbox: 'M4.5 4.5h15l1.5 9v6h-18v-6zM3 13.5h5.5a3.5 3.5 0 0 0 7 0H21',
  key: 'M4 15.5a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M11 12.5L20 3.5M16.5 7l2.8 2.8',
  life: 'M3.2 12a8.8 8.8 0 1 0 17.6 0a8.8 8.8 0 1 0 -17.6 0M8.4 12a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0M5.8 5.8l3.6 3.6M14.6 14.6l3.6 3.6M18.2 5.8l-3.6 3.6M9.4 14.6l-3.6 3.6',
  light: 'M8 3h8v4l-2 3v10.5h-4V10L8 7zM8 7h8M12 13v2',
  lock: 'M4.5 10.5h15v10h-15zM8 10.5V7.5a4 4 0 0 1 8 0v3',
  mail: 'M3 7.5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM3.5 7l8.5 6.5L20.5 7',
  minus: 'M4.5 12h15',
  nav: 'M20.5 3.5L3.5 10.6l7 2.9 2.9 7z',
  off: 'M3.5 3.5l17 17M8 7.6A7 7 0 0 1 18.7 11 4.2 4.2 0 0 1 19.5 19M15.5 19H7a4.6 4.6 0 0 1-.6-9.1',
  office: 'M4 20.5V6.5l8-3.5v17.5M12 9.5h8v11M2.5 20.5h19M8 9.5v.1M8 13.5v.1M16 13.5v.1',
  pause: 'M8.5 5v14M15.5 5v14',
  pen: 'M4 20l1-4.5L16.5 4l3.5 3.5L8.5 19zM14 6.5l3.5 3.5',
  person: 'M8 8a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M4.5 20.5a7.5 7.5 0 0 1 15 0',
  phone:
    'M7 4.7a2.2 2.2 0 0 1 2.2-2.2h5.6a2.2 2.2 0 0 1 2.2 2.2v14.6a2.2 2.2 0 0 1-2.2 2.2H9.2A2.2 2.2 0 0 1 7 19.3zM11 18.3h2',
  play: 'M8 5l11 7-11 7z',
  plus: 'M12 4.5v15M4.5 12h15',
  print: 'M7 8V3.5h10V8M7 17H4V8.5h16V17h-3M7 14h10v6.5H7z',
  retry: 'M20 5v5h-5M4.5 14a8 8 0 0 0 14.8 1.5M19.7 10A8 8 0 0 0 4.5 8.5',
  route:
    'M3.5 18.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0M15.5 5.5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0M8.5 18.5H16a3.3 3.3 0 0 0 0-6.6H8a3.2 3.2 0 0 1 0-6.4h7.5',
  scan: 'M3.5 8V4.5H7M17 4.5h3.5V8M20.5 16v3.5H17M7 19.5H3.5V16M8 8.5v7M12 8.5v7M16 8.5v7',
  search: 'M4 10.5a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0M15.5 15.5L21 21',
  share: 'M12 15V3.5M8 7l4-4 4 4M5 12v8.5h14V12',
  undo: 'M8 5L3.5 9.5 8 14M4 9.5h10a5.5 5.5 0 0 1 0 11h-3',
  warn: 'M12 3.8L21.8 20.5H2.2zM12 10v4.6M12 17.6v.1',
  x: 'M6 6l12 12M18 6L6 18',
} as const;

export type IconName = keyof typeof paths;

/** An icon beside a word: screen readers skip it. */
export function Icon({ name, small = false }: { readonly name: IconName; readonly small?: boolean }) {
  return (
    <svg className={small ? 'i i-s' : 'i'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark: the back of a trailer with a tick, and its gate let down. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke="currentColor">
      <rect x="6.5" y="3.5" width="19" height="18" rx="3" strokeWidth="3" />
      <path d="M11.6 12.4l3.2 3.2 5.8-6.4" strokeWidth="3" strokeLinecap="round" strokeLinejoin="round" />
      <path d="M4 27.5h24" strokeWidth="4.4" strokeLinecap="round" />
    </svg>
  );
}
