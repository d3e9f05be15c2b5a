import ts from 'typescript';

/**
 * Words that one row of the glossary forbids, and the patterns that find them. Spaces in a pattern also match line
 * breaks of a comment.
 */
interface OldWords {
  /** First column of the table "Words to replace" in docs/glossary.md. */
  readonly row: string;
  /** Matches the words in identifiers and in prose. */
  readonly words?: RegExp;
  /** Matches the lower-case words of an identifier, which are separated by spaces. The default is `words`. */
  readonly identifiers?: RegExp;
  /** Matches comments, titles of tests and documents, in upper and lower case. The default is `words`. */
  readonly prose?: RegExp;
  /** An identifier and a comment with a forbidden word, one for each pattern. */
  readonly examples: readonly string[];
}

export const OLD_WORDS: readonly OldWords[] = [
  {
    row: 'answer (to a request), told, said',
    identifiers: /\b(?:answer(?:s|ed|ing)?|tells?|told|telling|says?|said|saying)\b/u,
    prose: /\b(?:answer(?:s|ed|ing)?|tells?|told|telling|said|saying)\b/iu,
    examples: ['searchAnswers', 'Every client is told the result.'],
  },
  {
    row: 'asks (a server, a database)',
    identifiers: /\b(?:asks|asked|asking)\b/u,
    prose:
      /\b(?:(?:is|are|was|were) asked|asks? (?:the|a|an|each) (?:server|database|store|queue|service|gateway|API))\b/iu,
    examples: ['asked_at', 'The store is asked first.'],
  },
  {
    row: 'asker, whoever asks, whoever reads',
    words: /\baskers?\b/u,
    examples: ['ASKERS', 'Returns the id of the asker.'],
  },
  {
    row: 'whoever, somebody, nobody',
    words: /\b(?:whoever|whomever|somebody|nobody|anybody)\b/u,
    examples: ['isReadByNobody', 'Whoever calls this must hold the lock.'],
  },
  {
    row: 'deed, thing done',
    words: /\b(?:deeds?|things? done)\b/u,
    examples: ['auditDeed', 'Every deed of an admin is in the log.'],
  },
  { row: 'wish', words: /\b(?:wish(?:es|ed)?)\b/u, examples: ['adminWish', 'The wish of an admin.'] },
  {
    row: 'goes round, goes on',
    words: /\bgo(?:es)? (?:round|on)\b/u,
    examples: ['goRound', 'The loop goes on after a failure.'],
  },
  {
    row: 'going round',
    words: /\bgoing (?:round|on)\b/u,
    examples: ['isGoingRound', 'The number of events of one going round.'],
  },
  { row: 'what is not said is none', prose: /\bwhat is not\b/iu, examples: ['What is not said is none.'] },
  { row: 'born of, made of', words: /\b(?:born|made) of\b/u, examples: ['bornOf', 'A command born of an event.'] },
  {
    row: 'looked, found of',
    identifiers: /\b(?:looked|found of)\b/u,
    prose: /\b(?:looked(?! up)|found of)\b/iu,
    examples: ['Looked', 'The table is looked through.'],
  },
  {
    row: 'looks, look',
    identifiers: /\b(?:looks|look(?! up| ahead))\b/u,
    prose: /\blook(?:s|ing)? (?:at|after|into|whether|there)\b/iu,
    examples: ['lookAgain', 'The worker looks at the table every second.'],
  },
  {
    row: 'kept, keeps',
    identifiers: /\b(?:kept|keeps)\b/u,
    prose: /\bkept\b/iu,
    examples: ['keptRows', 'The response is kept for a day.'],
  },
  {
    row: 'lies, stands',
    identifiers: /\b(?:lies|stands|stood)\b/u,
    prose: /\b(?:lies|stands(?! for\b| in for\b)|stood)\b/iu,
    examples: ['whereItStands', 'The file lies in the data folder.'],
  },
  {
    row: 'held against',
    words: /\bh(?:e|o)ld(?:s|ing)? (?:it |them )?against\b/u,
    examples: ['heldAgainst', 'The columns are held against the schema.'],
  },
  {
    row: 'hears of',
    words: /\b(?:hears?|heard)\b/u,
    examples: ['hearsOf', 'The shell hears of the change.'],
  },
  { row: 'seen (by a program)', words: /\bseen\b/u, examples: ['seenIds', 'Events that were seen are skipped.'] },
  {
    row: 'let go, goes away',
    words: /\b(?:let(?:s|ting)? go|go(?:es|ing)? away)\b/u,
    examples: ['letGo', 'The lock is let go of.'],
  },
  { row: 'anew, once more', words: /\b(?:anew|once more)\b/u, examples: ['readAnew', 'The table is read once more.'] },
  { row: 'beside', words: /\bbeside\b/u, examples: ['tablesBeside', 'The new table is built beside the old one.'] },
  {
    row: 'at most a few seconds',
    prose: /\ba few seconds\b/iu,
    examples: ['The event arrives after at most a few seconds.'],
  },
  {
    row: 'weather words: stays awake, falls asleep, dies',
    words: /\b(?:awake|asleep|dies|died|dying)\b/u,
    examples: ['isAwake', 'A worker dies at any time.'],
  },
  {
    row: 'own picture, house picture',
    words: /\b(?:own|house) pictures?\b/u,
    examples: ['housePicture', 'The address of a house picture.'],
  },
  {
    row: 'engine (of a cluster)',
    identifiers: /(?<!\b(?:search|storage) )\bengines?\b/u,
    prose: /(?<!\b(?:search|docker|container|script) )\bengines?\b/iu,
    examples: ['startEngines', 'Every engine of a cluster.'],
  },
  { row: 'fault', words: /\bfaults?\b/u, examples: ['allFaults', 'Returns the faults of a catalog.'] },
  {
    row: 'passing (of a failure)',
    identifiers: /\bpassing\b/u,
    prose: /\bpassing (?:errors?|failures?|outages?|problems?)\b/iu,
    examples: ['isPassing', 'A passing failure is retried.'],
  },
  {
    row: 'refusal, refused',
    identifiers: /\brefus(?:als?|e|es|ed|ing)\b/u,
    prose: /(?<!\bconnection (?:is |was )?)\brefus(?:als?|e|es|ed|ing)\b(?! connection)/iu,
    examples: ['refusalOf', 'The server refuses the request.'],
  },
  {
    row: 'place (in a log)',
    prose: /\bplaces? (?:in|of) (?:the|a|an|its) (?:log|stream|store)\b/iu,
    examples: ['The place in the log.'],
  },
  {
    row: 'piece, slice',
    identifiers: /\b(?:pieces?|slices? \w+|\w+ slices?)\b/u,
    prose: /\b(?:pieces?|slices?)\b/iu,
    examples: ['rowsPerSlice', 'The events are read in pieces.'],
  },
  {
    row: 'as it was at',
    identifiers: /\bas (?:it|they) (?:was|were|is|are)\b/u,
    prose: /\bas (?:it|they) (?:was|were|stood|stands) at\b/iu,
    examples: ['asItWas', 'The ad as it was at a position.'],
  },
  { row: 'good for', words: /\bgood for\b/u, examples: ['goodFor_ms', 'The link is good for an hour.'] },
  {
    row: 'of its own',
    prose: /\bof (?:its|their) own\b(?! (?!(?:and|for|or|with|without)\b)[a-z])/iu,
    examples: ['A process of its own.'],
  },
  { row: 'twice is once', prose: /\btwice is once\b/iu, examples: ['Twice is once.'] },
];

/** A part of a file that is checked. */
interface CheckedText {
  readonly kind: 'identifier' | 'prose';
  readonly text: string;
  /** Offset of the text in the file. */
  readonly offset: number;
}

/** A forbidden word in a file. */
export interface OldWord {
  readonly line: number;
  /** The identifier with the word, or the matching words of a comment. */
  readonly text: string;
  /** Row of the glossary that forbids the word. Contains the text of its first column. */
  readonly row: string;
}

/** Returns the lower-case words of a name in camelCase, snake_case or kebab-case, separated by spaces. */
const wordsOfName = (name: string): string =>
  name
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|[^\p{L}\d]+/gu, ' ')
    .trim()
    .toLowerCase();

/** Returns the forbidden words in a file, in the order of its lines. */
export function oldWordsIn(name: string, source: string): readonly OldWord[] {
  const lineOf = (offset: number) => source.slice(0, offset).split('\n').length;
  return checkedTextsOf(name, source)
    .flatMap(({ kind, text, offset }) =>
      kind === 'identifier'
        ? rowsOfName(text).map((row) => ({ text, row, line: lineOf(offset) }))
        : oldWordsOfProse(text).map(({ index, ...found }) => ({ ...found, line: lineOf(offset + index) })),
    )
    .toSorted((a, b) => a.line - b.line);
}

/** Cache of the glossary rows that match each checked name. Most names occur often, so the cache saves time. */
const rowsByName = new Map<string, readonly string[]>();

/** Returns the glossary rows that forbid a word in a name. */
export function rowsOfName(name: string): readonly string[] {
  const known = rowsByName.get(name);
  if (known) return known;
  const words = wordsOfName(name);
  const rows = OLD_WORDS.filter((old) => (old.identifiers ?? old.words)?.test(words)).map(({ row }) => row);
  rowsByName.set(name, rows);
  return rows;
}

const PROSE_PATTERNS = OLD_WORDS.flatMap(({ row, words, prose = words }) =>
  prose ? [{ row, pattern: new RegExp(prose.source.replaceAll(' ', String.raw`\s+`), 'giu') }] : [],
);

const oldWordsOfProse = (prose: string) =>
  PROSE_PATTERNS.flatMap(({ row, pattern }) =>
    [...prose.matchAll(pattern)].map(({ 0: text, index }) => ({ text: text.replaceAll(/\s+/gu, ' '), row, index })),
  );

function checkedTextsOf(name: string, source: string): readonly CheckedText[] {
  if (name.endsWith('.css')) return textsOfStyles(source);
  if (name.endsWith('.md')) return textsOfDocument(source);
  return textsOfCode(name, source);
}

/** Replaces every character except line breaks by a space, so that offsets and line numbers stay correct. */
const blank = (text: string) => text.replaceAll(/[^\n]/gu, ' ');

/** Replaces the parts of a comment that are not prose by spaces: comment markers, code, types and paths. */
const proseOfComment = (comment: string) =>
  comment
    .replaceAll(/^\s*(?:\/\*+|\*(?!\/)|\/\/)/gmu, blank)
    .replaceAll(/`[^`\n]*`|import\('[^']*'\)|(?:\.{0,2}\/)?[\w.-]+\/[\w./-]+/gu, blank);

function textsOfStyles(source: string): readonly CheckedText[] {
  const comments = [...source.matchAll(/\/\*[\s\S]*?\*\//gu)].map(
    ({ 0: text, index }): CheckedText => ({ kind: 'prose', text: proseOfComment(text), offset: index }),
  );
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//gu, blank);
  const names = [...code.matchAll(/(?<=\.|--|@keyframes )[a-z][\w-]*/giu)].map(
    ({ 0: text, index }): CheckedText => ({ kind: 'identifier', text, offset: index }),
  );
  return [...comments, ...names];
}

/** Returns the prose of a Markdown document, without code, link targets and images. */
function textsOfDocument(source: string): readonly CheckedText[] {
  const text = source
    .replaceAll(/^ *```[\s\S]*?^ *```$/gmu, blank)
    .replaceAll(/`[^`]*`|\]\([^)]*\)|<img[^>]*>/gu, blank);
  return [{ kind: 'prose', text, offset: 0 }];
}

/** Returns the identifiers, comments and test titles of a source file. */
function textsOfCode(name: string, source: string): readonly CheckedText[] {
  const kind = name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, kind);
  const texts: CheckedText[] = [];
  const comments = new Set<number>();
  const addComments = (ranges: readonly ts.CommentRange[] = []) => {
    for (const { pos, end } of ranges) {
      if (comments.has(pos)) continue;
      comments.add(pos);
      texts.push({ kind: 'prose', text: proseOfComment(source.slice(pos, end)), offset: pos });
    }
  };
  const addCommentsAt = (position: number) => {
    addComments(ts.getLeadingCommentRanges(source, position));
    addComments(ts.getTrailingCommentRanges(source, position));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node))
      texts.push({ kind: 'identifier', text: node.text, offset: node.getStart(file) });
    const title = ts.isCallExpression(node) && isTest(node) ? node.arguments[0] : undefined;
    if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
      texts.push({ kind: 'prose', text: title.getText(file), offset: title.getStart(file) });
    if (node.kind !== ts.SyntaxKind.JsxText) [node.pos, node.end].forEach(addCommentsAt);
    // `{/* … */}`
    if (ts.isJsxExpression(node)) addCommentsAt(node.getStart(file) + 1);
    ts.forEachChild(node, visit, (nodes) => {
      [nodes.pos, nodes.end].forEach(addCommentsAt);
      nodes.forEach(visit);
    });
  };
  visit(file);
  return texts;
}

/** Checks whether a call defines a test, also with `test.each(…)(…)`. */
function isTest(call: ts.CallExpression): boolean {
  let callee: ts.Expression = call.expression;
  while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) callee = callee.expression;
  return ts.isIdentifier(callee) && ['test', 'it', 'describe'].includes(callee.text);
}
