/** What the client takes from a connection string (version 6.2), its names in lower case without `-` and `_`. */
const KNOWN_OPTIONS = new Set([
  'usercertfile',
  'userkeyfile',
  'maxdiscoverattempts',
  'connectionname',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'nodepreference',
  'tls',
  'tlscafile',
  'keepaliveinterval',
  'keepalivetimeout',
]);

/** Scheme, credentials with their `@`, hosts, path, options. */
const ADDRESS = /^(esdb|kurrentdb|kdb)(\+discover)?:\/\/([^@/?]*@)?([^@/?\s]+)\/*(?:\?(.*))?$/u;

export interface ClientAddress {
  readonly connectionString: string;
  /** `host:port, host:port`: what may be logged. */
  readonly hosts: string;
  /** Names of options that have no meaning here. The client would write the whole connection string, with its password, to the console. */
  readonly ignoredOptions: readonly string[];
}

/** The address as the client takes it; it does not know the names that KurrentDB has given its schemes. Throws when it is none, without repeating it. */
export function toClientAddress(url: string): ClientAddress {
  const [, scheme, discover = '', credentials = '', hosts, query = ''] = ADDRESS.exec(url.trim()) ?? [];
  if (scheme === undefined || hosts === undefined) {
    throw new Error(
      'The address of the event store must read esdb://[user:password@]host:port[,host:port…][?tls=false&…] or esdb+discover://…',
    );
  }
  const options = query.split('&').filter((option) => option !== '');
  const isKnown = (option: string) => KNOWN_OPTIONS.has(nameOf(option).toLowerCase().replace(/[_-]/gu, ''));
  const known = options.filter(isKnown);
  return {
    connectionString: `esdb${discover}://${credentials}${hosts}${known.length > 0 ? `?${known.join('&')}` : ''}`,
    hosts: hosts.split(',').join(', '),
    ignoredOptions: options.filter((option) => !isKnown(option)).map(nameOf),
  };
}

function nameOf(option: string): string {
  return option.split('=')[0] ?? '';
}
