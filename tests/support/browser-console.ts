import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Only says how long a page has stood: a visitor who is led elsewhere has been sent files for nothing, and hears of it on a slow machine alone. */
const OF_TIME = /was preloaded using link preload but not used within a few seconds/u;

/**
 * Hears what a page, or every page of a context, complains of: errors and warnings of the console (refusals of the content security policy are among
 * them) and exceptions nobody caught. Chromium reports each answer of 400 and above; what a test provokes is allowed by its address.
 */
export class ConsoleWatch {
  readonly #problems: string[] = [];
  readonly #allowed: RegExp[];

  /** `allowed` are patterns of addresses whose failing is part of the test. */
  constructor(target: BrowserContext | Page, allowed: readonly RegExp[] = []) {
    this.#allowed = [...allowed];
    if ('pages' in target) {
      target.on('console', (message) => this.#hear(message));
      target.on('weberror', (error) => this.#problems.push(`${error.page()?.url() ?? ''}: ${String(error.error())}`));
    } else {
      target.on('console', (message) => this.#hear(message));
      target.on('pageerror', (error) => this.#problems.push(`${target.url()}: ${String(error)}`));
    }
  }

  #hear(message: ConsoleMessage): void {
    const type = message.type();
    if (type !== 'error' && type !== 'warning') return;
    const { url } = message.location();
    const words = `${message.text()} ${url}`;
    if (OF_TIME.test(words) || this.#allowed.some((pattern) => pattern.test(words))) return;
    this.#problems.push(`${message.page()?.url() ?? ''}: ${type}: ${words}`);
  }

  /** From now on, what names such an address is expected. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns);
  }

  /** What was heard so far was somebody else's. */
  forget(): void {
    this.#problems.length = 0;
  }

  /** Fails when anything was heard since the last time. */
  expectSilence(about = 'the console stays silent'): void {
    expect(this.#problems.splice(0), about).toEqual([]);
  }
}
