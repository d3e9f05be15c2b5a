import {
  account,
  article,
  author,
  consent,
  favorites,
  follows,
  helpful,
  hidingRule,
  identity,
  jobControl,
  listing,
  media,
  moderationCase,
  person,
  removal,
  replay,
  report,
  takenDownPicture,
  thread,
  toStreamId,
  type EventDefinition,
} from '@alpenglow/domain';
import { PROJECTIONS } from '@alpenglow/projectors';
import * as z from 'zod/mini';

/** The aggregates, and the ids of their streams. */
const AGGREGATES = [
  { aggregate: account, id: '{accountId}' },
  { aggregate: article, id: '{articleId}' },
  { aggregate: author, id: '{accountId}' },
  { aggregate: consent, id: '{subjectId}' },
  { aggregate: favorites, id: '{accountId}' },
  { aggregate: follows, id: '{accountId}' },
  { aggregate: helpful, id: '{accountId}' },
  { aggregate: hidingRule, id: '{ruleId}' },
  { aggregate: identity, id: '{accountId}' },
  { aggregate: jobControl, id: '{kind}' },
  { aggregate: listing, id: '{accountId}' },
  { aggregate: media, id: '{mediaId}' },
  { aggregate: moderationCase, id: '{kind}-{subjectId}' },
  { aggregate: person, id: '{accountId}' },
  { aggregate: removal, id: '{requestId}' },
  { aggregate: replay, id: '{readModel}' },
  { aggregate: report, id: '{reportId}' },
  { aggregate: takenDownPicture, id: '{pictureId}' },
  { aggregate: thread, id: '{threadId}' },
];

const INTRODUCTION = `# Events and read models

\`npm run docs\` generates this page from the code. A test checks that it is current. The [glossary](glossary.md)
explains the terms.

## Aggregates and event types
An event is stored in the newest version of its type. Upcasters convert earlier versions when they are read.
The files \`events.ts\` in \`domain/src\` declare the types, with comments.

- **sealed**: fields that are encrypted with the key of an account, and replaced when it is erased.
- **secret**: fields that no data export contains.
- **log**: whether an event is an entry of the moderation log.
- **export**: whose data export contains an event. *subject*: the account that owns the stream, and the account whose
  key encrypts the fields.
`;

const READ_MODELS_INTRODUCTION = `## Read models
A projection derives each read model from the events that it lists. The first column is the key. A changed version is
built in separate tables ([0071](decisions/0071-versions-of-read-models-run-next-to-each-other.md)).
`;

/** Returns docs/events-and-read-models.md, which lists the aggregates, event types and read models of this build. */
export function createEventsPage(): string {
  const aggregates = AGGREGATES.map(
    ({ aggregate, id }) =>
      `### ${aggregate.name}\nStream: \`${toStreamId(aggregate, id)}\`\n\n` +
      '| event type | version | fields | sealed | secret | log | export |\n|---|---|---|---|---|---|---|\n' +
      aggregate.eventDefinitions.map(rowOf).join('\n'),
  );
  const readModels = PROJECTIONS.map(
    ({ name, version, columns, tallies = [], on, isShardable = false }) =>
      `### ${name}\nVersion ${version}${isShardable ? ', can be split into shards' : ''}. ` +
      `Events: ${codes(Object.keys(on).sort())}\n\n` +
      [
        `\`rm.${name}\`: ${codes(Object.entries(columns).map(([column, type]) => `${column} ${type}`))}`,
        ...tallies.map((tally) => `\`rm.${tally.name}\`: counts of rows by ${codes(tally.columns)}`),
      ]
        .map((line) => `- ${line}`)
        .join('\n'),
  );
  return [
    INTRODUCTION,
    ...aggregates.map((section) => `${section}\n`),
    READ_MODELS_INTRODUCTION,
    ...readModels.map((section) => `${section}\n`),
  ].join('\n');
}

function rowOf({
  type,
  version,
  schema,
  personalFields,
  secretFields,
  moderationLog,
  disclosedTo,
}: EventDefinition): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return `| ${[
    `\`${type}\``,
    String(version),
    codes(fieldsOf(properties, required)),
    codes(Object.keys(personalFields)),
    codes(secretFields),
    typeof moderationLog === 'string' ? moderationLog : `since version ${moderationLog.sinceVersion}`,
    exportOf(disclosedTo),
  ].join(' | ')} |`;
}

function exportOf(disclosedTo: EventDefinition['disclosedTo']): string {
  if (disclosedTo === 'nobody') return '–';
  return disclosedTo === 'subject' ? 'subject' : `account in \`${disclosedTo.accountIn}\``;
}

/** A part of a JSON Schema, as `z.toJSONSchema` returns it for the schemas of events. */
type JsonSchema = z.core.JSONSchema._JSONSchema;

/** Returns the type of a field in the notation of TypeScript. */
function typeOf(schema: JsonSchema): string {
  if (typeof schema === 'boolean') return 'unknown';
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') {
    const item = typeof schema.items === 'object' && !Array.isArray(schema.items) ? typeOf(schema.items) : 'unknown';
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === 'object') return objectTypeOf(schema);
  // Zod also writes a list of types, e.g. for a nullable field.
  return [schema.type ?? 'unknown'].flat().join(' | ');
}

function objectTypeOf({ properties, required = [], additionalProperties }: Exclude<JsonSchema, boolean>): string {
  if (properties === undefined)
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
  return `{ ${fieldsOf(properties, required).join(', ')} }`;
}

const fieldsOf = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]) =>
  Object.entries(properties).map(([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(field)}`);

/** Returns texts as a list in the font of code. A vertical bar would end the cell of a table, so it is escaped. */
const codes = (texts: readonly string[]) =>
  texts.length === 0 ? '–' : texts.map((text) => `\`${text.replaceAll('|', '\\|')}\``).join(', ');
