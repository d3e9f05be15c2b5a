import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Chromium and WebKit print this warning if a preloaded file is not used. It may occur on slow machines when a page
 * redirects, so it is ignored.
 */
export const UNUSED_PRELOAD = /was preloaded using link preload but not used within a few seconds/u;

/** Playwright prints this warning in most tests, because they block the service worker. */
const BLOCKED_WORKER = /Service Worker registration blocked by Playwright/u;

/**
 * Collects the console errors, console warnings and uncaught exceptions of pages. These include violations of the
 * content security policy. Chromium also logs an error for every response with status 400 or above. A test that causes
 * such a response must therefore allow this error.
 */
export class ConsoleWatch {
  readonly #problems: string[] = [];
  readonly #allowed: RegExp[];

  /** `allowed` contains patterns of the errors and warnings that the test causes on purpose. */
  constructor(target: BrowserContext | Page, allowed: readonly RegExp[] = []) {
    this.#allowed = [...allowed];
    if ('pages' in target) {
      target.on('console', (message) => this.#record(message));
      target.on('weberror', (error) => this.#problems.push(`${error.page()?.url() ?? ''}: ${String(error.error())}`));
    } else {
      target.on('console', (message) => this.#record(message));
      target.on('pageerror', (error) => this.#problems.push(`${target.url()}: ${String(error)}`));
    }
  }

  #record(message: ConsoleMessage): void {
    const type = message.type();
    if (type !== 'error' && type !== 'warning') return;
    const { url } = message.location();
    const text = `${message.text()} ${url}`;
    if (UNUSED_PRELOAD.test(text) || BLOCKED_WORKER.test(text) || this.#allowed.some((pattern) => pattern.test(text)))
      return;
    this.#problems.push(`${message.page()?.url() ?? ''}: ${type}: ${text}`);
  }

  /** From now on, ignores problems that match one of the patterns. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns);
  }

  /** Discards the collected problems. */
  discardProblems(): void {
    this.#problems.length = 0;
  }

  /** Returns the collected problems and discards them. */
  takeProblems(): readonly string[] {
    return this.#problems.splice(0);
  }

  /** Fails if problems were collected. Discards the collected problems. */
  expectNoProblems(about = 'the console has no errors or warnings'): void {
    expect(this.takeProblems(), about).toEqual([]);
  }
}
