import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiClient, type ApiResponse, type ApiClient, type Person } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser, type VisitorOptions, trackLiveChannel } from '../support/browser.ts';
import {
  choosePostAction,
  main,
  chooseModeratorAction,
  notice,
  postOf,
  replyForm,
  replyText,
  sendReply,
  titlesIn,
  waitForRead,
  pageWidths,
  watchForReload,
  writeReply,
} from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { injectFailure, noResponse, noConnection } from '../support/browser-failures.ts';
import { openMailboxes, type Mailboxes } from '../support/inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { threadRecorder, type ThreadRecorder } from '../support/threads.ts';

/**
 * Members, visitors and moderators use the community in parallel windows, together with all demo data. The start of a
 * thread is tested in community.test.ts.
 */
const DEMO_ADMIN = { email: 'admin@demo.alpenglow.example', password: 'alpenglow-demo' };

let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let recording: Recording;
let threads: ThreadRecorder;
let mailboxes: Mailboxes;
beforeAll(async () => {
  product = await startTestProduct({ isDemo: true, adminEmail: DEMO_ADMIN.email });
  api = apiClient(product.url);
  recording = await openRecording(product);
  threads = threadRecorder(recording);
  mailboxes = openMailboxes(product);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await mailboxes?.close();
  await recording?.close();
  await product?.stop();
});

const contexts: BrowserContext[] = [];
let watches: ConsoleWatch[] = [];
/**
 * Anna is a client and Ben is a provider. Both accounts are old, so the limits for new members do not apply to them.
 */
let anna: Person;
let ben: Person;
beforeEach(async () => {
  watches = [];
  [anna, ben] = await Promise.all([
    recording.member({ displayName: 'Anna' }),
    recording.member({ displayName: 'Ben', userType: 'provider' }),
  ]);
});
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});

/**
 * Functions that wait until the live channel of a window is open. The channel does not report changes before that time.
 */
const lives = new WeakMap<Page, () => Promise<void>>();
/** Opens a window in a separate browser profile, for an account or for a guest. */
async function windowOf(
  person: Person | null,
  options: VisitorOptions = {},
  allowed: readonly RegExp[] = [],
): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token: person?.token, ...options });
  contexts.push(context);
  watches.push(new ConsoleWatch(context, allowed));
  const page = await context.newPage();
  lives.set(page, await trackLiveChannel(page));
  return page;
}
const expectSilence = () => watches.forEach((watch) => watch.expectNoProblems());
/** Opens a page that displays no live data, e.g. a form. */
const atForm = async (page: Page, address: string) => {
  await page.goto(address);
  await headingOf(page).first().waitFor();
};
const at = async (page: Page, address: string) => {
  await atForm(page, address);
  await lives.get(page)?.();
};

const HENDERSON = { country: 'us', state: 'NV', city: 'Henderson' };
let textCount = 0;
/** Returns a text that no other post contains. */
const uniqueText = () => `Number ${(textCount += 1)}: ${randomUUID()}`;

interface StartedThread {
  readonly id: string;
  readonly path: string;
}
const started = ({ status, body }: ApiResponse): StartedThread => {
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body['data'] as StartedThread;
};
async function startedBy(person: Person, fields: Record<string, unknown> = {}): Promise<StartedThread> {
  const response = await api.call('POST', '/api/community/threads', {
    token: person.token,
    body: { ...HENDERSON, title: 'Quiet places to meet', body: uniqueText(), ...fields },
  });
  const thread = started(response);
  await waitForRead(api);
  return thread;
}
async function repliedBy(
  person: Person,
  { id }: StartedThread,
  body: string,
  quotedNumber: number | null = null,
): Promise<void> {
  const response = await api.call('POST', `/api/community/threads/${id}/replies`, {
    token: person.token,
    body: { body, quotedNumber },
  });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  await waitForRead(api);
}
async function repliesOf({
  id,
}: StartedThread): Promise<readonly { readonly number: number; readonly html: string | null }[]> {
  const { body } = await api.call('GET', `/api/community/threads/${id}`);
  return (body['data'] as { replies: { number: number; html: string | null }[] }).replies;
}
async function demoAdmin(): Promise<Person> {
  const { body } = await api.call('POST', '/api/auth/login', { body: DEMO_ADMIN });
  return { ...(body as unknown as Person), email: DEMO_ADMIN.email };
}

describe('a new community thread', () => {
  it('is found by its id, with an old title or another place in the address', async () => {
    const { id, path: canonical } = await startedBy(anna, { title: 'What it was called first' });
    const editResponse = await api.call('PUT', `/api/community/threads/${id}/posts/0`, {
      token: anna.token,
      body: { title: 'What it is called now', body: uniqueText() },
    });
    expect(editResponse.status).toBe(200);
    await waitForRead(api);
    const now = canonical.replace('what-it-was-called-first', 'what-it-is-called-now');
    const page = await windowOf(null);
    for (const address of [`/community/${id}`, canonical, now.replace('henderson', 'reno')]) {
      await at(page, address);
      await headingOf(page).filter({ hasText: 'What it is called now' }).waitFor();
      await page.waitForURL(`${product.url}${now}`);
    }
    expectSilence();
  });

  it('is posted once, however often the button is pressed', async () => {
    const page = await windowOf(anna);
    await atForm(page, '/community/us/nv/henderson?new=1');
    const form = page.getByRole('form', { name: 'Start a thread' });
    await form.getByRole('textbox', { name: 'Title' }).fill('Pressed twice');
    await form.getByRole('textbox', { name: 'Text' }).fill(uniqueText());
    await form.getByRole('button', { name: 'Start a thread' }).dblclick();
    await headingOf(page).filter({ hasText: 'Pressed twice' }).waitFor();
    await at(page, '/community/us/nv/henderson');
    await main(page).getByRole('link', { name: 'Pressed twice' }).first().waitFor();
    expect((await titlesIn(page)).filter((title) => title === 'Pressed twice')).toHaveLength(1);
    expectSilence();
  });

  it('with a duplicate text shows an error next to the form and preserves the input, even after a reload', async () => {
    const body = `The same words twice. ${uniqueText()}`;
    await startedBy(anna, { body });
    const page = await windowOf(anna, {}, [/\/api\/community\/threads/u]);
    await atForm(page, '/community/us/nv/henderson?new=1');
    const form = page.getByRole('form', { name: 'Start a thread' });
    const text = form.getByRole('textbox', { name: 'Text' });
    await form.getByRole('textbox', { name: 'Title' }).fill('Once more');
    await text.fill(body);
    await form.getByRole('button', { name: 'Start a thread' }).click();
    await form.getByText('This text was already posted').waitFor();
    expect(await text.inputValue()).toBe(body);
    await page.reload();
    await expect
      .poll(async () => [await form.getByRole('textbox', { name: 'Title' }).inputValue(), await text.inputValue()])
      .toEqual(['Once more', body]);
    expectSilence();
  });
});

describe('community replies', () => {
  it('appear live in another window, also when they quote another reply', async () => {
    const thread = await startedBy(anna);
    const [annas, bens] = await Promise.all([windowOf(anna), windowOf(ben)]);
    await Promise.all([at(annas, thread.path), at(bens, thread.path)]);
    const [expectNoReloadForAnna, expectNoReloadForBen] = await Promise.all([
      watchForReload(annas),
      watchForReload(bens),
    ]);
    await writeReply(annas, 'By the old *mill*, in the morning.');
    await postOf(annas, 1).getByText('By the old').waitFor();
    await showNewReplies(bens, 1);
    await postOf(bens, 1).getByText('By the old mill, in the morning.').waitFor();

    await postOf(bens, 1).getByRole('button', { name: 'Quote' }).click();
    await replyForm(bens).getByRole('link', { name: 'Quoting Anna, #1' }).waitFor();
    await writeReply(bens, 'I have been there as well.');
    await postOf(bens, 2).getByText('I have been there as well.').waitFor();
    await showNewReplies(annas, 2);
    await postOf(annas, 2).getByText('I have been there as well.').waitFor();
    await postOf(annas, 2).getByRole('blockquote').getByText('By the old mill, in the morning.').waitFor();
    await Promise.all([expectNoReloadForAnna(), expectNoReloadForBen()]);
    expectSilence();
  });

  it('show that they were edited in every window, and only the author can read earlier versions', async () => {
    const thread = await startedBy(anna);
    await repliedBy(anna, thread, 'The words that were there at first.');
    const [annas, bens] = await Promise.all([windowOf(anna), windowOf(ben)]);
    await Promise.all([at(annas, thread.path), at(bens, thread.path)]);
    const expectNoReloadForBen = await watchForReload(bens);
    await postOf(annas, 1).getByRole('button', { name: /^Edit/u }).click();
    const form = annas.getByRole('form', { name: 'Edit your post' });
    await form.getByRole('textbox', { name: 'Text' }).fill('The words that are there now.');
    await form.getByRole('button', { name: 'Save' }).click();
    await postOf(annas, 1).getByText('The words that are there now.').waitFor();
    await postOf(bens, 1).getByText('The words that are there now.').waitFor();
    await postOf(bens, 1).getByText('edited').waitFor();
    expect(
      await postOf(bens, 1).getByRole('button', { name: 'edited' }).count(),
      'other people cannot read earlier versions',
    ).toBe(0);
    await expectNoReloadForBen();
    await postOf(annas, 1).getByRole('button', { name: 'edited' }).click();
    const history = annas.getByRole('dialog', { name: 'Version history' });
    await history.getByText('The words that were there at first.').waitFor();
    await history.getByText('The words that are there now.').waitFor();
    expectSilence();
  });

  it('lose their text live when deleted, keep their number and disappear from quotes', async () => {
    const thread = await startedBy(anna);
    await repliedBy(anna, thread, 'Words that will be gone.');
    await repliedBy(ben, thread, 'An answer that stays.', 1);
    const [annas, bens] = await Promise.all([windowOf(anna), windowOf(ben)]);
    await Promise.all([at(annas, thread.path), at(bens, thread.path)]);
    const expectNoReloadForBen = await watchForReload(bens);
    await postOf(bens, 2).getByRole('blockquote').getByText('Words that will be gone.').waitFor();
    await choosePostAction(annas, 1, 'Delete');
    await annas.getByRole('dialog', { name: 'Delete this post?' }).getByRole('button', { name: 'Delete' }).click();
    await notice(annas, 'Your post has been deleted').waitFor();
    for (const page of [annas, bens]) {
      await postOf(page, 1).getByText('Deleted by its author').waitFor();
      await postOf(page, 1).getByText('#1').waitFor();
      await postOf(page, 2).getByText('The quoted post is no longer available').waitFor();
      await expect.poll(() => page.getByText('Words that will be gone.').count()).toBe(0);
    }
    await expectNoReloadForBen();
    expectSilence();
  });

  it('are posted once when the button is pressed twice, and are rejected as duplicates', async () => {
    const thread = await startedBy(anna);
    const page = await windowOf(anna, {}, [/\/replies/u]);
    await at(page, thread.path);
    const body = uniqueText();
    await replyText(page).fill(body);
    await sendReply(page).dblclick();
    await postOf(page, 1).getByText(body).waitFor();
    expect(await repliesOf(thread)).toHaveLength(1);
    await writeReply(page, body);
    await replyForm(page).getByText('This text was already posted').waitFor();
    expect(await replyText(page).inputValue()).toBe(body);
    expect(await repliesOf(thread)).toHaveLength(1);
    expectSilence();
  });

  it('keep their text when the network fails, and a retry sends them once, even after a lost response', async () => {
    const thread = await startedBy(anna);
    const page = await windowOf(ben, {}, [/\/replies/u]);
    await at(page, thread.path);
    const body = uniqueText();
    const failure = await injectFailure(page, 'POST /api/community/threads/*/replies', noConnection);
    await writeReply(page, body);
    await replyForm(page).getByRole('alert').waitFor();
    expect(await replyText(page).inputValue()).toBe(body);
    expect(failure.count()).toBeGreaterThan(0);
    await failure.remove();

    // The server handles each reply request, but the response is lost.
    const isReply = (url: URL) => url.pathname.endsWith('/replies');
    const keys: (string | undefined)[] = [];
    await page.route(isReply, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      await route.abort('connectionreset');
    });
    await sendReply(page).click();
    await expect.poll(async () => (await repliesOf(thread)).length).toBe(1);
    await replyForm(page).getByRole('alert').waitFor();
    expect(await replyText(page).inputValue()).toBe(body);
    await page.unroute(isReply);
    const [again] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/replies')),
      sendReply(page).click(),
    ]);
    expect(again.headers()['idempotency-key']).toBe(keys[0]);
    await expect.poll(() => replyText(page).inputValue()).toBe('');
    await postOf(page, 1).getByText(body).waitFor();
    expect(await repliesOf(thread)).toHaveLength(1);
    expectSilence();
  });
});

describe('members who may not write', () => {
  it('must log in or confirm their address', async () => {
    const thread = await startedBy(anna);
    const visitor = await windowOf(null);
    for (const address of [thread.path, '/community?new=1']) {
      await atForm(visitor, address);
      await main(visitor).getByText('Log in to post here. Everyone can read the threads.').waitFor();
      await main(visitor)
        .getByRole('link', { name: 'Login' })
        .or(main(visitor).getByRole('link', { name: 'Log in' }))
        .first()
        .waitFor();
    }
    const unverified = await windowOf(await api.signUp('client', { verify: false }));
    for (const address of [thread.path, '/community?new=1']) {
      await atForm(unverified, address);
      await main(unverified).getByText('Verify your e-mail address to post here.').waitFor();
      await main(unverified).getByRole('link', { name: 'Verify e-mail' }).waitFor();
      expect(await unverified.getByRole('textbox', { name: /^(?:Your reply|Text)$/u }).count()).toBe(0);
    }
    expectSilence();
  });

  it('see how long they must wait while they are new, and their text is preserved', async () => {
    const thread = await startedBy(anna);
    const page = await windowOf(await api.signUp('client'), {}, [/\/replies/u]);
    await page.clock.install();
    await at(page, thread.path);
    await writeReply(page, 'Good evening to all of you.');
    const note = main(page).getByText(/^New accounts can post after 10 minutes\. You can post here in \d+ minutes?\./u);
    const minutes = async () =>
      Number(/in (?<minutes>\d+)/u.exec((await note.textContent()) ?? '')?.groups?.['minutes']);
    const before = await minutes();
    expect(before).toBeGreaterThan(5);
    const [above, below] = await Promise.all([note.boundingBox(), replyText(page).boundingBox()]);
    expect((above?.y ?? Number.NaN) + (above?.height ?? 0), 'above the form').toBeLessThanOrEqual(below?.y ?? 0);
    await page.clock.fastForward('03:00');
    // It counts down.
    await expect.poll(minutes).toBeLessThanOrEqual(before - 3);
    await replyForm(page)
      .getByText(/New accounts can post after 10 minutes\. Please try again in (?:10|[1-9]) min\./u)
      .waitFor();
    expect(await replyText(page).inputValue()).toBe('Good evening to all of you.');
    expectSilence();
  });
});

describe('a reader', () => {
  it('marks a post as helpful once, but not their own posts', async () => {
    const thread = await startedBy(anna);
    const [bens, annas] = await Promise.all([windowOf(ben), windowOf(anna)]);
    await at(bens, thread.path);
    const helpful = (page: Page) => postOf(page, 0).getByRole('button', { name: /^Helpful/u });
    const unmarked = await injectFailure(bens, 'DELETE /api/community/threads/*/posts/*/helpful', noResponse);
    const marked = await injectFailure(bens, 'POST /api/community/threads/*/posts/*/helpful', noResponse);
    await helpful(bens).dblclick();
    await postOf(bens, 0).getByRole('button', { name: 'Helpful · 1', pressed: true }).waitFor();
    // The helpful mark is visible immediately, before the response to the request arrives.
    await expect.poll(() => marked.count()).toBeGreaterThan(0);
    expect([marked.count(), unmarked.count()], 'two presses before the response send one request').toEqual([1, 0]);
    await marked.remove();
    await unmarked.remove();
    await expect.poll(() => helpfulCount(thread)).toBe(1);
    await bens.reload();
    await postOf(bens, 0).getByRole('button', { name: 'Helpful · 1', pressed: true }).waitFor();
    await helpful(bens).click();
    await postOf(bens, 0).getByRole('button', { name: 'Helpful', exact: true, pressed: false }).waitFor();
    await expect.poll(() => helpfulCount(thread)).toBe(0);
    await at(annas, thread.path);
    await expect.poll(() => helpful(annas).isDisabled()).toBe(true);
    expectSilence();
  });

  it('gets a mail without the text for each reply of a followed thread, and can unfollow from it', async () => {
    const thread = await startedBy(anna, { title: 'Followed from here' });
    const page = await windowOf(ben);
    await at(page, thread.path);
    await main(page).getByRole('button', { name: 'Follow', exact: true }).click();
    await main(page).getByRole('button', { name: 'E-mail for each reply' }).click();
    await notice(page, 'You follow this thread and get an e-mail for each reply').waitFor();
    await repliedBy(anna, thread, 'Saffron and juniper, as always.');
    await mailboxes.waitForMail(ben.email, 'Followed from here');

    const inbox = await windowOf(null);
    await inbox.goto('/dev/inbox');
    const mail = inbox.getByRole('article').filter({ hasText: ben.email });
    expect(await mail.count()).toBe(1);
    const text = await mail.innerText();
    expect(text).toContain('New reply in “Followed from here”');
    expect(text).not.toMatch(/saffron|juniper|Anna/iu);
    const link = new URL(/https?:\/\/\S+\/community\/unsubscribe#\S+/u.exec(text)?.[0] ?? '');
    await inbox.goto(`${link.pathname}${link.hash}`);
    await headingOf(inbox).filter({ hasText: 'Stop these e-mails' }).waitFor();
    await inbox.getByRole('button', { name: 'Stop these e-mails' }).click();
    await inbox.getByText('You will no longer get these e-mails.').waitFor();
    expect(inbox.url(), 'the token is removed from the address').not.toContain('#');

    const casey = await recording.member({ displayName: 'Casey' });
    expect(
      (
        await api.call('PUT', `/api/community/threads/${thread.id}/follow`, {
          token: casey.token,
          body: { mail: 'instant' },
        })
      ).status,
    ).toBe(200);
    await repliedBy(anna, thread, 'One more reply after the unfollow.');
    // Casey still follows the thread and gets a mail. If Ben got a mail too, it would have arrived before the mail to
    // Casey.
    await mailboxes.waitForMail(casey.email, 'Followed from here');
    expect(await mailboxes.mailsTo(ben.email)).toHaveLength(1);
    await page.reload();
    await main(page).getByRole('button', { name: 'Following' }).click();
    await main(page).getByRole('button', { name: 'No e-mails', pressed: true }).waitFor();
    expectSilence();
  });

  it('reports without an account, gets a reference number, and a serious reason hides the post at once', async () => {
    const thread = await startedBy(anna);
    await repliedBy(ben, thread, 'A threatening text.');
    const [reporter, other] = await Promise.all([windowOf(null), windowOf(null)]);
    await Promise.all([at(reporter, thread.path), at(other, thread.path)]);
    await choosePostAction(reporter, 1, 'Report');
    const dialog = reporter.getByRole('dialog', { name: 'Report this post' });
    await dialog.getByRole('button', { name: 'Send report' }).click();
    await dialog.getByText('Please choose a reason').waitFor();
    await dialog.getByRole('radio', { name: /Someone is being forced to do something/u }).check();
    await dialog.getByRole('button', { name: 'Send report' }).click();
    const confirmation = reporter.getByRole('dialog', { name: 'Thank you' });
    await confirmation.getByText(/^Report number: R-/u).waitFor();
    expect(await confirmation.locator('strong').innerText()).toMatch(/\S{6,}/u);
    await confirmation.getByRole('button', { name: 'Close' }).last().click();
    for (const page of [reporter, other]) {
      await postOf(page, 1)
        .getByText(/^This post is hidden/u)
        .waitFor();
      expect(await page.getByText('A threatening text.').count()).toBe(0);
    }
    expectSilence();
  });

  it('searches threads, articles and ads with one box and does not find hidden posts', async () => {
    const admin = await demoAdmin();
    const thread = await startedBy(anna, {
      title: 'Verification of quixotic lanterns',
      body: `Who has seen verification? ${uniqueText()}`,
    });
    await repliedBy(ben, thread, 'Somebody spoke of zanzibarite.');
    const page = await windowOf(null);
    const search = async (text: string) => {
      await page.getByRole('searchbox', { name: 'Search threads, articles and ads' }).fill(text);
      await page.getByRole('searchbox', { name: 'Search threads, articles and ads' }).press('Enter');
    };
    await at(page, '/community');
    await search('verification');
    await main(page)
      .getByRole('region', { name: 'Threads' })
      .getByRole('link', { name: 'Verification of quixotic lanterns' })
      .waitFor();
    await main(page).getByRole('region', { name: 'Articles' }).getByRole('link').first().waitFor();
    await search('zanzibarite');
    await main(page)
      .getByRole('region', { name: 'Threads' })
      .getByRole('link', { name: 'Verification of quixotic lanterns' })
      .waitFor();
    const hidden = await api.call('PUT', `/api/admin/community/threads/${thread.id}/posts/1/hidden`, {
      token: admin.token,
      body: { hidden: true, reason: null },
    });
    expect(hidden.status).toBe(200);
    await waitForRead(api);
    await at(page, '/community');
    await search('zanzibarite');
    await main(page).getByText('Nothing found').first().waitFor();
    expectSilence();
  });
});

describe('a community moderator', () => {
  it('hides a reply with a reason and restores it, live in all windows', async () => {
    const thread = await startedBy(anna);
    await repliedBy(ben, thread, 'Words that come and go.');
    const [moderator, visitor] = await Promise.all([windowOf(await demoAdmin()), windowOf(null)]);
    await Promise.all([at(moderator, thread.path), at(visitor, thread.path)]);
    const expectNoReload = await watchForReload(visitor);
    await postOf(visitor, 1).getByText('Words that come and go.').waitFor();
    await choosePostAction(moderator, 1, 'Hide');
    const dialog = moderator.getByRole('dialog', { name: 'Hide this post' });
    await dialog.getByRole('textbox', { name: /Reason/u }).fill('Contact details');
    await dialog.getByRole('button', { name: 'Hide', exact: true }).click();
    await postOf(visitor, 1)
      .getByText(/^This post is hidden/u)
      .waitFor();
    expect(await visitor.getByText('Words that come and go.').count()).toBe(0);
    await postOf(moderator, 1).getByText('This post is hidden: Contact details').waitFor();
    await postOf(moderator, 1).getByText('Words that come and go.').waitFor();
    await choosePostAction(moderator, 1, 'Show again');
    await postOf(visitor, 1).getByText('Words that come and go.').waitFor();
    await expectNoReload();
    expectSilence();
  });

  it('closes and reopens a thread, which removes and restores the form in other windows', async () => {
    const thread = await startedBy(anna);
    const [moderator, bens] = await Promise.all([windowOf(await demoAdmin()), windowOf(ben)]);
    await Promise.all([at(moderator, thread.path), at(bens, thread.path)]);
    const expectNoReloadForBen = await watchForReload(bens);
    await replyText(bens).waitFor();
    await chooseModeratorAction(moderator, 'Close to replies');
    await main(bens).getByText('This thread is closed to new replies.').waitFor();
    expect(await replyText(bens).count()).toBe(0);
    await chooseModeratorAction(moderator, 'Open to replies');
    await replyText(bens).waitFor();
    await expectNoReloadForBen();
    expectSilence();
  });

  it('pins a thread at the top of its city, and moves it with a redirect from its old address', async () => {
    const older = await startedBy(anna, { city: 'Sparks', title: 'The older of two' });
    await startedBy(anna, { city: 'Sparks', title: 'The newer of two' });
    const [moderator, visitor] = await Promise.all([windowOf(await demoAdmin()), windowOf(null)]);
    await Promise.all([at(moderator, older.path), at(visitor, '/community/us/nv/sparks')]);
    await main(visitor).getByRole('link', { name: 'The newer of two' }).waitFor();
    expect((await titlesIn(visitor))[0]).toBe('The newer of two');
    await chooseModeratorAction(moderator, 'Pin in this city');
    await notice(moderator, 'The thread is pinned').waitFor();
    await expect.poll(async () => (await titlesIn(visitor))[0]).toBe('The older of two');
    await main(visitor).getByRole('article', { name: 'The older of two' }).getByText('Pinned').waitFor();

    await chooseModeratorAction(moderator, 'Move to another city');
    const dialog = moderator.getByRole('dialog', { name: 'Move to another city' });
    await dialog.getByRole('combobox', { name: 'Place' }).fill('reno');
    await dialog.getByRole('option', { name: 'Reno, Nevada' }).click();
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await moderator.waitForURL(`**${older.path.replace('sparks', 'reno')}`);
    await waitForRead(api);
    await visitor.goto(older.path);
    await headingOf(visitor).filter({ hasText: 'The older of two' }).waitFor();
    await visitor.waitForURL(`${product.url}${older.path.replace('sparks', 'reno')}`);
    await main(visitor).getByRole('link', { name: 'Reno' }).first().waitFor();
    expectSilence();
  });
});

describe('the text of a post', () => {
  it('runs no scripts, loads no resources and has only safe links, in the preview and in the thread', async () => {
    const corpus = path.resolve(import.meta.dirname, '../../infra/test/markdown-corpus');
    const lines = (await readFile(path.join(corpus, 'lines.txt'), 'utf8'))
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('%%'));
    const blocks = (await readFile(path.join(corpus, 'blocks.txt'), 'utf8'))
      .split(/^%%.*$/mu)
      .map((block) => block.trim());
    const hostile = [
      '<img src=x onerror="steal()">',
      '<script>steal()</script>',
      '[press](javascript:steal())',
      '<svg onload=steal()>',
      '![far](https://evil.example/a.png)',
      ...lines,
      ...blocks.filter((block) => block !== ''),
    ].map((text) =>
      text.replaceAll(/\{U\+([0-9A-F]{4,6})\}/gu, (_all, code: string) =>
        String.fromCodePoint(Number.parseInt(code, 16)),
      ),
    );
    const thread = await threads.start({
      place: HENDERSON,
      title: '<img src=x onerror=steal()> and more',
      body: hostile.slice(0, 5).join('\n\n'),
    });
    await threads.reply(
      thread.id,
      1,
      inBatches(hostile, 40).map((texts) => ({ body: texts.join('\n\n') })),
    );
    await waitForRead(api);

    const page = await windowOf(anna);
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (
        new URL(request.url()).host !== new URL(product.url).host &&
        !request.url().startsWith('data:') &&
        !request.url().startsWith('blob:')
      )
        elsewhere.push(request.url());
    });
    await page.addInitScript(() =>
      Object.assign(globalThis, { steal: () => Object.assign(globalThis, { isStolen: true }) }),
    );
    const expectSafeContent = async () => {
      const unsafeContent = await main(page).evaluate((element) => ({
        isStolen: 'isStolen' in globalThis,
        protocols: [
          ...new Set(
            [...element.querySelectorAll<HTMLAnchorElement>('article a[href], section a[href]')].map(
              ({ protocol }) => protocol,
            ),
          ),
        ].filter((protocol) => !['http:', 'https:', 'mailto:'].includes(protocol)),
        elements: element.querySelectorAll(
          'article :is(script, iframe, object, embed, form, style, link, meta, base), article img',
        ).length,
        handlers: [...element.querySelectorAll('*')]
          .flatMap((one) => one.getAttributeNames())
          .filter((name) => name.startsWith('on')),
      }));
      expect(unsafeContent).toEqual({ isStolen: false, protocols: [], elements: 0, handlers: [] });
      expect(elsewhere).toEqual([]);
    };
    await at(page, `/community/${thread.id}`);
    await headingOf(page).filter({ hasText: '<img src=x onerror=steal()> and more' }).waitFor();
    await postOf(page, 1).waitFor();
    await expectSafeContent();
    for (const link of await postOf(page, 0).getByRole('link', { name: 'press' }).all()) await link.click();
    await expectSafeContent();

    await replyText(page).fill(hostile.slice(0, 60).join('\n\n').slice(0, 9_000));
    await replyForm(page).getByRole('button', { name: 'Preview' }).click();
    await replyForm(page).getByRole('region', { name: 'Preview' }).getByText('press').waitFor();
    expect(
      await replyForm(page)
        .locator('section img, section script, section [onerror], section [href^="javascript" i]')
        .count(),
    ).toBe(0);
    await expectSafeContent();
    expectSilence();
  });

  it('has the direction of its script and never makes the page wider than a phone', async () => {
    const arabic = 'أين توجد أماكن هادئة في هذه المدينة؟ 🌙';
    const thread = await startedBy(anna, {
      title: `${arabic} 👩‍👩‍👧`,
      body: `${arabic}\n\nEnglish after it. ${uniqueText()}`,
    });
    await repliedBy(ben, thread, `${'endless'.repeat(400)} \`${'code'.repeat(300)}\``);
    const endless = await startedBy(ben, { title: 'W'.repeat(100), body: `${'W'.repeat(3_000)} ${uniqueText()}` });
    const page = await windowOf(null, { viewport: PHONE, hasTouch: true });
    await at(page, thread.path);
    const directionOf = (locator: ReturnType<Page['locator']>) =>
      locator.evaluate((element) => getComputedStyle(element).direction);
    expect(await directionOf(headingOf(page).locator('bdi'))).toBe('rtl');
    const text = postOf(page, 0).getByText(arabic);
    expect([await text.getAttribute('dir'), await directionOf(text)]).toEqual(['auto', 'rtl']);
    expect(await directionOf(postOf(page, 0).getByText('English after it.'))).toBe('ltr');
    for (const address of [thread.path, endless.path, '/community/us/nv/henderson', '/community']) {
      await at(page, address);
      await main(page).getByRole('article').first().waitFor();
      const { content, window } = await pageWidths(page);
      expect(content, address).toBeLessThanOrEqual(window);
      expect(window).toBe(PHONE.width);
    }
    expectSilence();
  });
});

describe('a thread of 220 replies', () => {
  let thread: StartedThread;
  beforeAll(async () => {
    const { id } = await threads.start({ place: HENDERSON, title: 'Very much to read' });
    const replies = Array.from({ length: 220 }, (_, index) => ({ body: `This is reply ${index + 1}.` }));
    await threads.reply(id, 1, replies);
    await waitForRead(api);
    const { body } = await api.call('GET', `/api/community/threads/${id}`);
    thread = { id, path: `/community/us/nv/henderson/${(body['data'] as { slug: string }).slug}` };
  });

  it('loads page by page', async () => {
    const page = await windowOf(null);
    await at(page, thread.path);
    await postOf(page, 1).waitFor();
    expect(await postOf(page, 220).count()).toBe(0);
    const posts = () => main(page).locator('ol > li > article').count();
    const first = await posts();
    await main(page).getByRole('link', { name: 'Show more replies' }).click();
    await expect.poll(posts).toBeGreaterThan(first);
    const numbers = await main(page)
      .locator('ol > li > article')
      .evaluateAll((articles) => articles.map(({ id }) => Number(id.replace('post-', ''))));
    expect(numbers, 'without gaps and without duplicates').toEqual(numbers.map((_, index) => index + 1));
    expectSilence();
  });

  it('jumps to its end, where replies appear live, and back to its beginning', async () => {
    const page = await windowOf(null);
    await at(page, thread.path);
    await main(page).getByRole('link', { name: 'Go to latest' }).first().click();
    await postOf(page, 220).waitFor();
    await expect.poll(() => isInView(page, 220)).toBe(true);
    await repliedBy(anna, thread, 'And one more at the end.');
    await showNewReplies(page, 221);
    await postOf(page, 221).getByText('And one more at the end.').waitFor();
    await main(page).getByRole('link', { name: 'Go to first' }).click();
    await postOf(page, 1).waitFor();
    expectSilence();
  });

  it('opens at any reply by its address', async () => {
    const page = await windowOf(null);
    await at(page, `${thread.path}?post=137`);
    await postOf(page, 137).waitFor();
    await expect.poll(() => isInView(page, 137)).toBe(true);
    await page.reload();
    await expect.poll(() => isInView(page, 137)).toBe(true);
    const before = await main(page).locator('ol > li > article').count();
    await main(page).getByRole('link', { name: 'Show earlier replies' }).click();
    await expect.poll(() => main(page).locator('ol > li > article').count()).toBeGreaterThan(before);
    await postOf(page, 137).waitFor();
    expectSilence();
  });
});

/**
 * Shows new replies. At the end of a thread, new replies appear automatically. In other places, a button shows them.
 */
async function showNewReplies(page: Page, number: number): Promise<void> {
  const button = page.getByRole('button', { name: /^\d+ new repl(?:y|ies)$/u });
  await postOf(page, number).or(button).first().waitFor();
  if ((await postOf(page, number).count()) === 0) await button.click();
  await postOf(page, number).waitFor();
}

async function isInView(page: Page, number: number): Promise<boolean> {
  const box = await postOf(page, number).boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y < height && box.y + box.height > 0;
}

async function helpfulCount({ id }: StartedThread): Promise<number> {
  const { body } = await api.call('GET', `/api/community/threads/${id}`);
  return (body['data'] as { opening: { helpfulCount: number } }).opening.helpfulCount;
}

/** Splits texts into batches of at most `size`. */
function inBatches(texts: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(texts.length / size) }, (_, index) =>
    texts.slice(index * size, (index + 1) * size),
  );
}
