import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Builder, By, Capabilities, type WebDriver, type WebElement } from 'selenium-webdriver';
import { findFreePort } from '../../launcher/cluster/free-port.mjs';
import { eventually } from './eventually.ts';
import { MAX_WAIT_ms } from './max-wait.ts';
import { isSettled, type Area, type Viewport, type VisitorPage } from './visitor-page.ts';

/** Selectors of the elements that may have a role. WebDriver cannot search by role. */
const SELECTORS = {
  button: 'button, summary',
  link: 'a[href]',
  field: 'input, textarea',
  list: 'select',
} as const;

/** The screen is larger than every tested window. */
const SCREEN = '1600x1200x24';

/** Time limit for a program to stop. A program that exceeds the limit is killed. */
const STOP_LIMIT_ms = 5_000;

/** Lines of the console that are errors or warnings, such as `http://…:1:2: CONSOLE JS ERROR TypeError: …`. */
const PROBLEM = /CONSOLE (?:[A-Z]+ )*(?:ERROR|WARN)/u;

/** Runs in the page. An option cannot be scrolled to, but its list can. */
const scrollIntoView = (element: Element) => (element.closest('select') ?? element).scrollIntoView({ block: 'center' });

/** Opens a new profile of WebKitGTK for a visitor of the site at `url`, in a window on a virtual screen. */
export async function openWebKitPage(url: string, viewport: Viewport): Promise<VisitorPage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-webkit-'));
  const consoleFile = path.join(folder, 'console.txt');
  const programs: Program[] = [];
  const stopPrograms = () => programs.forEach(({ child }) => child.kill());
  process.once('exit', stopPrograms);
  let driver: WebDriver | undefined;
  const close = async () => {
    await Promise.race([driver?.quit().catch(() => undefined), pause(STOP_LIMIT_ms, undefined, { ref: false })]);
    await Promise.all(programs.map(stop));
    process.removeListener('exit', stopPrograms);
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  try {
    const screen = start('Xvfb', ['-displayfd', '1', '-screen', '0', SCREEN, '-nolisten', 'tcp'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    programs.push(screen);
    const display = await Promise.race([readDisplay(screen), rejectAtEnd(screen)]);
    const port = await findFreePort();
    const output = openSync(consoleFile, 'a');
    const server = start('WebKitWebDriver', [`--port=${port}`], {
      stdio: ['ignore', output, output],
      env: {
        ...process.env,
        DISPLAY: display,
        LIBGL_ALWAYS_SOFTWARE: '1',
        // The sandbox of WebKitGTK does not work for root.
        ...(process.getuid?.() === 0 && { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' }),
      },
    });
    programs.push(server);
    closeSync(output);
    driver = await Promise.race([eventually(() => openSession(port, folder, consoleFile)), rejectAtEnd(server)]);
    await driver.manage().window().setRect(viewport);
    return pageOf(driver, { url, consoleFile, close });
  } catch (error) {
    await close();
    throw error;
  }
}

interface Program {
  readonly child: ReturnType<typeof spawn>;
  /** Resolves with a message when the program has ended, or could not be started. */
  readonly ended: Promise<string>;
}

function start(name: string, args: readonly string[], options: SpawnOptions): Program {
  const child = spawn(name, args, options);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`${name} ended (${signal ?? code ?? '?'})`));
  });
  return { child, ended };
}

async function stop({ child, ended }: Program): Promise<void> {
  child.kill();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_ms);
  await ended;
  clearTimeout(timer);
}

async function rejectAtEnd({ ended }: Program): Promise<never> {
  throw new Error(await ended);
}

/** Returns the name of the display of Xvfb, e.g. `:1`. */
async function readDisplay({ child }: Program): Promise<string> {
  if (!child.stdout) throw new Error('The output of Xvfb is not a pipe');
  const [number] = (await once(child.stdout, 'data', { signal: AbortSignal.timeout(MAX_WAIT_ms) })) as [Buffer];
  return `:${number.toString().trim()}`;
}

function openSession(port: number, profile: string, consoleFile: string): Promise<WebDriver> {
  const script = 'exec gjs "$0" "$1" >>"$2" 2>&1';
  const args = ['-c', script, path.join(import.meta.dirname, 'webkit-window.js'), profile, consoleFile];
  const capabilities = { browserName: 'WebKitGTK', 'webkitgtk:browserOptions': { binary: '/bin/sh', args } };
  return new Builder()
    .disableEnvironmentOverrides()
    .usingServer(`http://127.0.0.1:${port}`)
    .withCapabilities(new Capabilities(capabilities))
    .build();
}

function pageOf(
  driver: WebDriver,
  { url, consoleFile, close }: { url: string; consoleFile: string; close: () => Promise<void> },
): VisitorPage {
  const root = (area: Area | undefined) =>
    driver.findElement(By.css(area === 'dialog' ? 'dialog[open]' : (area ?? 'body')));

  async function named(selector: string, name: string, area?: Area): Promise<WebElement | null> {
    for (const element of await (await root(area)).findElements(By.css(selector)))
      if ((await element.isDisplayed()) && (await element.getAccessibleName()) === name) return element;
    return null;
  }
  async function withText(text: string, area?: Area): Promise<WebElement | null> {
    const contains = `contains(normalize-space(.), "${text}")`;
    const smallest = By.xpath(`.//*[not(self::script)][${contains}][not(*[${contains}])]`);
    for (const element of await (await root(area)).findElements(smallest))
      if (await element.isDisplayed()) return element;
    return null;
  }
  /** Returns the link, button or label that contains the text, or the element of the text. */
  async function pressable(text: string, area?: Area): Promise<WebElement | null> {
    const element = await withText(text, area);
    const outer = await element?.findElements(By.xpath('ancestor::*[self::a or self::button or self::label][1]'));
    return outer?.[0] ?? element;
  }
  /** Searches for an element until `use` succeeds with it. It may be covered or replaced while the page changes. */
  async function waitAndUse(
    what: string,
    find: () => Promise<WebElement | null>,
    use: (element: WebElement) => Promise<void>,
  ): Promise<void> {
    await eventually(async () => {
      const element = await find();
      if (element === null) throw new Error(`${what} does not exist`);
      // WebKitWebDriver clicks only elements inside the window, and does not scroll in `webkit-window.js`.
      await driver.executeScript(scrollIntoView, element);
      await use(element);
    });
  }
  const describe = (kind: string, name: string, area?: Area) => `${kind} "${name}"${area ? ` in ${area}` : ''}`;
  const click = (element: WebElement) => element.click();

  return {
    async goTo(to) {
      await driver.wait(() => driver.executeScript<boolean>(isSettled), MAX_WAIT_ms, 'The page did not settle');
      await driver.get(new URL(to, url).href);
    },
    press: (role, name, area) =>
      waitAndUse(describe(role, name, area), () => named(SELECTORS[role], name, area), click),
    pressText: (text, area) => waitAndUse(describe('Text', text, area), () => pressable(text, area), click),
    type: (name, text, area) =>
      waitAndUse(
        describe('Field', name, area),
        () => named(SELECTORS.field, name, area),
        async (field) => {
          await field.clear();
          await field.sendKeys(text);
        },
      ),
    choose: (name, option) =>
      waitAndUse(
        describe('Option', `${name}: ${option}`),
        async () => {
          const list = await named(SELECTORS.list, name);
          return list?.findElement(By.xpath(`.//option[normalize-space(.) = "${option}"]`)) ?? null;
        },
        click,
      ),
    upload: (file) =>
      waitAndUse(
        'A file field',
        async () => (await driver.findElements(By.css('input[type=file]')))[0] ?? null,
        (field) => field.sendKeys(path.resolve(file)),
      ),
    waitForText: (text, area) =>
      waitAndUse(
        describe('Text', text, area),
        () => withText(text, area),
        () => Promise.resolve(),
      ),
    address: async () => (await driver.getCurrentUrl()).slice(url.length),
    text: async () => (await root(undefined)).getText(),
    consoleProblems: () =>
      readFileSync(consoleFile, 'utf8')
        .split('\n')
        .filter((line) => PROBLEM.test(line)),
    async saveFailure(folder) {
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'page.png'), await driver.takeScreenshot(), 'base64');
      await writeFile(
        path.join(folder, 'console.txt'),
        `${await driver.getCurrentUrl()}\n${readFileSync(consoleFile, 'utf8')}`,
      );
    },
    close,
  };
}
