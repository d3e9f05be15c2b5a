/**
 * The connection string options that version 6.2 of the EventStoreDB client supports, in lower case without `-` and
 * `_`.
 */
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

/** Splits the address of an event store into scheme, `+discover`, credentials with `@`, hosts, and options. */
const ADDRESS = /^(esdb|kurrentdb|kdb)(\+discover)?:\/\/([^@/?]*@)?([^@/?\s]+)\/*(?:\?(.*))?$/u;

/**
 * Converts `url` to a connection string for the EventStoreDB client. Replaces the scheme names of KurrentDB, which the
 * client does not support. If `url` is not a valid address, throws an error that does not contain the credentials.
 */
export function toClientAddress(url: string) {
  const [, scheme, discover = '', credentials = '', hosts, query = ''] = ADDRESS.exec(url.trim()) ?? [];
  if (scheme === undefined || hosts === undefined) {
    throw new Error(
      'The address of the event store must read ' +
        'esdb://[user:password@]host:port[,host:port…][?tls=false&…] or esdb+discover://…',
    );
  }
  const options = query.split('&').filter((option) => option !== '');
  const isKnown = (option: string) => KNOWN_OPTIONS.has(nameOf(option).toLowerCase().replace(/[_-]/gu, ''));
  const known = options.filter(isKnown);
  return {
    connectionString: `esdb${discover}://${credentials}${hosts}${known.length > 0 ? `?${known.join('&')}` : ''}`,
    /** The hosts as `host:port, host:port`. The text contains no credentials, so it may be logged. */
    hosts: hosts.split(',').join(', '),
    /**
     * The names of unsupported options, which were removed from the connection string. Otherwise, the client would
     * write the whole connection string, with its password, to the console.
     */
    ignoredOptions: options.filter((option) => !isKnown(option)).map(nameOf),
  };
}

function nameOf(option: string): string {
  return option.split('=')[0] ?? '';
}
