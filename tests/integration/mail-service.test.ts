import { MailRejected, MailUnavailable, type MailTransport } from '@alpenglow/domain';
import { openMailTransport } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { describeMailTransport } from '../contract/mail.ts';
import { ERROR_RESPONSES, startMailService, type MailService, type ServiceResponse } from '../support/mail-service.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';

/** Time limit for a service that responds. It is long enough for a busy machine. */
const LIMIT_ms = MAX_WAIT_ms;
/** Time limit for a service that sends no response. */
const SHORT_LIMIT_ms = 1_000;
const mail = {
  id: 'verification-1',
  to: 'anna@example.com',
  subject: 'Your Alpenglow code',
  text: 'your code is 123456.',
  unsubscribeUrl: null,
};
const KEYS = { serviceId: 'service_a', templateId: 'template_b', publicKey: 'public_c' };

async function openTransport(
  url: string,
  keys: Partial<typeof KEYS> & { privateKey?: string } = {},
  sendLimit_ms = LIMIT_ms,
): Promise<MailTransport> {
  const transport = await openMailTransport(
    { kind: 'service', url, privateKey: null, ...KEYS, ...keys },
    { sendLimit_ms },
  );
  if (!transport) throw new Error('No transport was opened');
  return transport;
}

describeMailTransport(
  'the e-mail service',
  async () => {
    const service = await startMailService();
    return {
      transport: await openTransport(service.url),
      acceptedMails: () =>
        Promise.resolve(
          service.requests.map(({ body }) => {
            const {
              to_email: to = '',
              subject = '',
              message: text = '',
              message_id: id = '',
            } = (body as { template_params: Record<string, string> }).template_params;
            return { id, to, subject, text };
          }),
        ),
      close: () => service.close(),
    };
  },
  async () => {
    const service = await startMailService();
    await service.close();
    return openTransport(service.url);
  },
);

describe('the e-mail sending service (R-7.44 to R-7.46)', () => {
  let service: MailService;
  beforeEach(async () => {
    service = await startMailService();
  });
  afterEach(() => service.close());
  const failure = (transport: MailTransport) =>
    transport.send(mail).then(
      () => null,
      (error: unknown) => error as Error,
    );

  test('receives exactly its payload', async () => {
    await (await openTransport(service.url)).send(mail);
    expect(service.requests).toEqual([
      {
        method: 'POST',
        path: '/api/v1.0/email/send',
        contentType: 'application/json',
        body: {
          lib_version: '4.4.1',
          user_id: 'public_c',
          service_id: 'service_a',
          template_id: 'template_b',
          template_params: {
            to_email: 'anna@example.com',
            subject: 'Your Alpenglow code',
            message: 'your code is 123456.',
            message_id: 'verification-1',
          },
        },
        at_ms: expect.any(Number),
      },
    ]);
  });

  test('receives the private key if there is one; a slash at the end of its address is allowed', async () => {
    await (await openTransport(`${service.url}/`, { privateKey: 'private_d' })).send(mail);
    expect(service.requests).toMatchObject([
      { path: '/api/v1.0/email/send', body: { user_id: 'public_c', accessToken: 'private_d' } },
    ]);
  });

  test.each([{ publicKey: '' }, { serviceId: '' }, { templateId: '' }])(
    'gets no request without a required setting: %j',
    async (missing) => {
      expect(await failure(await openTransport(service.url, missing))).toBeInstanceOf(MailRejected);
      expect(service.requests).toEqual([]);
    },
  );

  test.each([
    [ERROR_RESPONSES.headless, 'The mail service rejected the mail: 451 Unavailable For Headless Browser'],
    [ERROR_RESPONSES.forbidden, 'The mail service rejected the mail: 403 Forbidden'],
    [
      { status: 400, text: 'The Public Key is invalid. To find this ID, visit https://mail.example' },
      'The mail service rejected the mail: 400 The Public Key is invalid. To find this ID, visit https://mail.example',
    ],
    [
      { status: 412, text: 'Recipient <anna@example.com> is unknown, code 123456' },
      'The mail service rejected the mail: 412 Recipient <[address]> is unknown, code [digits]',
    ],
  ])('rejects permanently: %j', async (rejection, message) => {
    service.respondWith(rejection);
    const error = await failure(await openTransport(service.url, { privateKey: 'private_d' }));
    expect(error).toEqual(new MailRejected(message));
    expect(error?.stack).not.toMatch(/anna|123456|private_d|public_c/u);
  });

  test.each<[string, ServiceResponse]>([
    ['500', { status: 500, text: 'Internal Server Error' }],
    ['503', { status: 503, text: 'Service Unavailable' }],
    ['408', { status: 408, text: 'Request Timeout' }],
    ['something else with 200', { status: 200, text: '<html>Please sign in to this network</html>' }],
    ['nothing with 200', { status: 200, text: '' }],
    ['a megabyte of garbage', { status: 200, text: 'x'.repeat(1_048_576) }],
    ['a connection that breaks', 'hang-up'],
    ['nothing at all', 'hang'],
  ])('that responds with %s may accept the mail later', async (_, response) => {
    service.respondWith(response);
    const limit_ms = response === 'hang' ? SHORT_LIMIT_ms : LIMIT_ms;
    const transport = await openTransport(service.url, {}, limit_ms);
    // The service may never respond, so the transport must stop after its time limit.
    const error = await failure(transport);
    expect(error).toBeInstanceOf(MailUnavailable);
    expect((error as MailUnavailable).retryAfter_ms).toBeNull();
    expect(error?.message.length).toBeLessThan(300);
    // If the limit was reached before the request reached the service, the service has not used its response.
    service.respondWith();
    await (await openTransport(service.url)).send(mail);
  });

  test('cannot redirect a request with our keys', async () => {
    const other = await startMailService();
    service.respondWith({ status: 307, text: '', headers: { location: `${other.url}/api/v1.0/email/send` } });
    expect(await failure(await openTransport(service.url, { privateKey: 'private_d' }))).toEqual(
      new MailRejected('The mail service rejected the mail: 307'),
    );
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test('that returns 429 gets no request until the time of Retry-After', async () => {
    // Stops only the clock, so that the test decides when the time of `Retry-After` is over.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const transport = await openTransport(service.url);
    service.respondWith({ ...ERROR_RESPONSES.tooMany, headers: { 'retry-after': '60' } });
    expect(await failure(transport)).toMatchObject({
      name: 'MailUnavailable',
      message: 'The mail service receives too many requests: 429 Too Many Requests',
      retryAfter_ms: 60_000,
    });
    const early = await failure(transport);
    expect(early).toBeInstanceOf(MailUnavailable);
    expect((early as MailUnavailable).retryAfter_ms).toBeGreaterThan(0);
    expect(service.requests).toHaveLength(1);
    vi.setSystemTime(Date.now() + 60_050);
    await transport.send(mail);
    expect(service.requests).toHaveLength(2);
  });

  test.each([
    [undefined, 10_000, 10_000],
    ['soon', 10_000, 10_000],
    ['0', 1_000, 1_000],
    ['120', 120_000, 120_000],
    ['99999999', 3_600_000, 3_600_000],
    [new Date(Date.now() + 600_000).toUTCString(), 300_000, 600_000],
  ])('that returns 429 is retried within limits for Retry-After %j', async (retryAfter, least_ms, most_ms) => {
    service.respondWith({
      ...ERROR_RESPONSES.tooMany,
      ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
    });
    const error = (await failure(await openTransport(service.url))) as MailUnavailable;
    expect(error.retryAfter_ms).toBeGreaterThanOrEqual(least_ms);
    expect(error.retryAfter_ms).toBeLessThanOrEqual(most_ms);
  });
});
