/** The kinds of events of a world, and of what they lead to, by the lines of its log. */
const kinds: readonly (readonly [name: string, line: RegExp])[] = [
  ['a refusal', /"status":"R"/],
  ['a skip', /"status":"S"/],
  ['a photo', /"signature_id":"/],
  ['a load report', / {2}stop 0: /],
  ['an arrival at a stop', / {2}stop [1-7]: .*"arrived":true/],
  ['an arrival at stop 999', / {2}stop 999: .*"arrived":true/],
  ['stop 999 completed', / {2}stop 999: .*"status":"D"/],
  ['a sweep of due routes', /closes due routes$/],
  ['a close by stop 999', /a route is closed by D$/],
  ['a close by a timer', /a route is closed by [AF]$/],
  ['several exceptions of a line', /"exceptions":"[^"]*[ ,]/],
  ['a release from quarantine', / {2}kim releases .*: done$/],
  ['a dismissal', / {2}kim dismisses /],
  ['a host that refuses rows', / refuses the rows/],
  ['a value that the host refuses', /"driver_comments":"BAD/],
  ['a parked stop', / {2}stop \d+ is parked$/],
  ['a repair of a parked stop', / {2}kim repairs stop /],
  ['a skip of a parked stop', / {2}kim skips stop /],
  ['a phone set back', /phone is set back$/],
  ['a phone copied', /phone is copied$/],
  ['a fork of a queue', / {2}incident queue_forked$/],
  ['a second queue of a driver', / has \d+ queues$/],
  ['an item that is gone', /can no longer be read$/],
  ['a change of a newer app', /had a newer app$/],
  ['a pass of mails', / mails /],
  ['push and pull over HTTP', /gets a proxy without sockets$/],
  ['a sign-out', /is signed out$/],
  ['a sign-in', /signs in again$/],
  ['new drivers of a second route', /the second route has the drivers/],
  ['a wrong clock of a server', /has a clock ahead by -?[1-9]/],
  ['a machine of a server that sleeps', /server \d sleeps for /],
  ['a restored PostgreSQL that lacks changes', / {2}[1-9]\d* changes are lost$/],
  ['a jump of a phone’s clock', /clock jumps by -?[1-9]/],
  ['a REST request', / {2}by REST on stop /],
  ['a clerk’s edit', / {2}the office on stop /],
  ['a new plan', /to be delivered at stop|the route is called/],
];

/** How many events of a kind the worlds had, and in how many of them. */
export interface Count {
  readonly name: string;
  readonly events: number;
  readonly worlds: number;
}

/** Counts the kinds of events in the logs of worlds, a log with a line for each event. */
export function censusOf(logs: readonly (readonly string[])[]): Count[] {
  return kinds.map(([name, line]) => {
    const found = logs.map((log) => log.filter((each) => line.test(each)).length);
    return { name, events: found.reduce((sum, n) => sum + n, 0), worlds: found.filter((n) => n > 0).length };
  });
}
