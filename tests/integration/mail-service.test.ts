import { MailRefused, MailUnavailable, type MailTransport } from '@alpenglow/domain';
import { openMailTransport } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { mailTransportContract } from '../contract/mail.ts';
import { REFUSALS, startMailService, type MailService, type ServiceAnswer } from '../support/mail-service.ts';
import { PATIENCE_ms } from '../support/patience.ts';

/** For a service that answers, however busy the machine is. */
const LIMIT_ms = PATIENCE_ms;
/** For a service that never answers. */
const SHORT_LIMIT_ms = 1_000;
const mail = {
  id: 'verification-1',
  to: 'anna@example.com',
  subject: 'Your Alpenglow code',
  text: 'your code is 123456.',
  unsubscribeUrl: null,
};
const KEYS = { serviceId: 'service_a', templateId: 'template_b', publicKey: 'public_c' };

async function transportTo(
  url: string,
  keys: Partial<typeof KEYS> & { privateKey?: string } = {},
  sendLimit_ms = LIMIT_ms,
): Promise<MailTransport> {
  const transport = await openMailTransport(
    { kind: 'service', url, privateKey: null, ...KEYS, ...keys },
    { sendLimit_ms },
  );
  if (!transport) throw new Error('There is a transport');
  return transport;
}

mailTransportContract(
  'the e-mail service',
  async () => {
    const service = await startMailService();
    return {
      transport: await transportTo(service.url),
      taken: () =>
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
    return transportTo(service.url);
  },
);

describe('the e-mail service of the specification, section 7', () => {
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

  test('gets exactly its payload', async () => {
    await (await transportTo(service.url)).send(mail);
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

  test('gets the private key where there is one; a slash at the end of its address does no harm', async () => {
    await (await transportTo(`${service.url}/`, { privateKey: 'private_d' })).send(mail);
    expect(service.requests).toMatchObject([
      { path: '/api/v1.0/email/send', body: { user_id: 'public_c', accessToken: 'private_d' } },
    ]);
  });

  test.each([{ publicKey: '' }, { serviceId: '' }, { templateId: '' }])(
    'is not asked without what it requires: %j',
    async (missing) => {
      expect(await failure(await transportTo(service.url, missing))).toBeInstanceOf(MailRefused);
      expect(service.requests).toEqual([]);
    },
  );

  test.each([
    [REFUSALS.headless, 'The mail service refused the mail: 451 Unavailable For Headless Browser'],
    [REFUSALS.forbidden, 'The mail service refused the mail: 403 Forbidden'],
    [
      { status: 400, text: 'The Public Key is invalid. To find this ID, visit https://mail.example' },
      'The mail service refused the mail: 400 The Public Key is invalid. To find this ID, visit https://mail.example',
    ],
    [
      { status: 412, text: 'Recipient <anna@example.com> is unknown, code 123456' },
      'The mail service refused the mail: 412 Recipient <[address]> is unknown, code [digits]',
    ],
  ])('refuses for good: %j', async (refusal, message) => {
    service.answerWith(refusal);
    const error = await failure(await transportTo(service.url, { privateKey: 'private_d' }));
    expect(error).toEqual(new MailRefused(message));
    expect(error?.stack).not.toMatch(/anna|123456|private_d|public_c/u);
  });

  test.each<[string, ServiceAnswer]>([
    ['500', { status: 500, text: 'Internal Server Error' }],
    ['503', { status: 503, text: 'Service Unavailable' }],
    ['408', { status: 408, text: 'Request Timeout' }],
    ['something else with 200', { status: 200, text: '<html>Please sign in to this network</html>' }],
    ['nothing with 200', { status: 200, text: '' }],
    ['a megabyte of garbage', { status: 200, text: 'x'.repeat(1_048_576) }],
    ['a connection that breaks', 'hang-up'],
    ['nothing at all', 'hang'],
  ])('that answers %s may take the mail later', async (_, answer) => {
    service.answerWith(answer);
    const limit_ms = answer === 'hang' ? SHORT_LIMIT_ms : LIMIT_ms;
    const transport = await transportTo(service.url, {}, limit_ms);
    // Without the limit, a service that says nothing would be waited for without end.
    const error = await failure(transport);
    expect(error).toBeInstanceOf(MailUnavailable);
    expect((error as MailUnavailable).retryAfter_ms).toBeNull();
    expect(error?.message.length).toBeLessThan(300);
    await (await transportTo(service.url)).send(mail);
  });

  test('is not followed elsewhere with our keys', async () => {
    const other = await startMailService();
    service.answerWith({ status: 307, text: '', headers: { location: `${other.url}/api/v1.0/email/send` } });
    expect(await failure(await transportTo(service.url, { privateKey: 'private_d' }))).toEqual(
      new MailRefused('The mail service refused the mail: 307'),
    );
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test('that is asked too often says how long to wait, and is left alone until then', async () => {
    // Only the clock is held, so that the wait is over when the test says so.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const transport = await transportTo(service.url);
    service.answerWith({ ...REFUSALS.tooMany, headers: { 'retry-after': '60' } });
    expect(await failure(transport)).toMatchObject({
      name: 'MailUnavailable',
      message: 'The mail service is asked too often: 429 Too Many Requests',
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
  ])('asked too often, with Retry-After %j', async (retryAfter, least_ms, most_ms) => {
    service.answerWith({
      ...REFUSALS.tooMany,
      ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
    });
    const error = (await failure(await transportTo(service.url))) as MailUnavailable;
    expect(error.retryAfter_ms).toBeGreaterThanOrEqual(least_ms);
    expect(error.retryAfter_ms).toBeLessThanOrEqual(most_ms);
  });
});
