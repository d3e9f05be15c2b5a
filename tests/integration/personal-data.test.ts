import { Pool } from 'pg';
import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import { definitionOf, START, toDomainEvent } from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

let product: TestProduct;
let api: ApiClient;
let pool: Pool;
let person: Person;
const secretWords = {
  name: 'Xylophona',
  title: 'Quixotic evening',
  description: 'Zephyr and marmalade.',
  phone: '+1 555 867 5309',
};

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  pool = new Pool({ connectionString: product.databaseUrl });
  person = await api.signUp('provider');
  const { id } = await api.postAd(person.token, {
    ...secretWords,
    socialMedia: { website: 'https://wunderkammer.example' },
  });
  await api.call('PUT', `/api/ads/${id}`, { token: person.token, body: { body: 'Tall as a poplar' } });
});
afterAll(async () => {
  await pool.end();
  await product.stop();
});

const everyClearText = () => [
  ...Object.values(secretWords),
  person.email,
  'wunderkammer',
  'poplar',
  'correct horse',
  person.token,
  'argon2',
];

describe('personal data in events', () => {
  test('is sealed: no clear-text value lies in the event store', async () => {
    const { rows } = await pool.query<{ everything: string }>(
      'select string_agg(e::text, chr(10)) as everything from es.events e',
    );
    for (const value of everyClearText()) expect(rows[0]?.everything).not.toContain(value);
    expect(rows[0]?.everything).toContain('Las Vegas');
  });

  test('no password, password hash or token lies anywhere in the database', async () => {
    const { rows: tables } = await pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.length).toBeGreaterThan(8);
    for (const { name } of tables) {
      const { rows } = await pool.query<{ everything: string | null }>(
        `select string_agg(t::text, chr(10)) as everything from ${name} t`,
      );
      for (const value of ['correct horse', 'argon2', person.token])
        expect(rows[0]?.everything ?? '', name).not.toContain(value);
    }
  });

  test('reads as its replacement once the key is destroyed, and every event still has a valid shape', async () => {
    const { dataKeys } = await loadSecrets(product.dataDir);
    const open = () =>
      withPersonalData(
        createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
        createDataKeys(pool, dataKeys),
      );
    const before = open();
    const readable = await before.readStream(`account-${person.user.id}`);
    expect(readable[0]?.data).toMatchObject({ email: person.email });
    await before.close();

    await pool.query('update auth.data_keys set wrapped_key = null where account_id = $1', [person.user.id]);
    const after = open();
    const events = await after.readAll({ after: START });
    for (const event of events) {
      expect(definitionOf(event.type)).not.toBeNull();
      expect(toDomainEvent(event)).not.toBeNull();
    }
    const everything = JSON.stringify(events);
    for (const value of everyClearText()) expect(everything).not.toContain(value);
    await expect(
      after.append(
        `account-${person.user.id}`,
        [
          {
            id: crypto.randomUUID(),
            type: 'AccountRegistered',
            version: 1,
            data: readable[0]?.data,
            meta: {
              correlationId: 'c',
              causationId: null,
              actor: { kind: 'system', name: 'test' },
              at: new Date().toISOString(),
            },
          },
        ],
        { expectedRevision: 'any' },
      ),
    ).rejects.toThrow(/destroyed/u);
    await after.close();
  });
});
