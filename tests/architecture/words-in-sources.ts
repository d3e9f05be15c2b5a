import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** What is no language: the product's name, the marks and units between numbers. */
const WORDLESS = /^(?:Alpenglow|[^\p{L}]|h|min|s)*$/u;
const ADDRESS = /^(?:https?:\/\/\S*|[\w.@-]+\.\w{2,})$/u;
/** Attributes and properties whose text a person sees or hears. */
const SEEN =
  /^(?:aria-(?:label|description|valuetext|roledescription)|alt|placeholder|(?:\w+-?)*(?:label|title|hint|text|legend|message|lead|heading|caption|summary)|children|error|notYet)$/iu;
/** A sentence, wherever it stands. */
const SENTENCE = /^\p{Lu}\p{Ll}+(?: \p{L}+)+/u;
/** Stands for what a template is filled with. */
const FILLED_IN = '\0';
const TAG = /<[^>]*>/gu;

export interface SourceWords {
  /** `file:line: 'words'` for each text that stands in the code. */
  readonly literalWords: readonly string[];
  /** Every string in the code, and every template as a pattern: what ids are among. */
  readonly strings: ReadonlySet<string>;
  readonly patterns: readonly RegExp[];
}

/** TypeScript files below a folder, without those of development alone. */
export function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name) && !/\.(?:test|d)\.tsx?$/u.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !/\/(?:dev|node_modules|dist)\//u.test(file));
}

export const wordsOfFile = (file: string, root: string): SourceWords =>
  wordsOf(readFileSync(file, 'utf8'), path.relative(root, file));

/** The texts that stand in a source, and what its ids are among. */
export function wordsOf(source: string, name: string): SourceWords {
  const file = ts.createSourceFile(
    name,
    source,
    ts.ScriptTarget.Latest,
    true,
    name.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  // A server also speaks to operators and programs; people read its HTML.
  const isServer = name.includes('/server/');
  const found = new Map<ts.Node, string>();
  const strings = new Set<string>();
  const patterns: RegExp[] = [];

  const note = (node: ts.Node, text: string) => {
    if (!WORDLESS.test(text) && !ADDRESS.test(text.trim())) found.set(node, text.trim());
  };
  const noteHtml = (node: ts.Node, html: string) => {
    if (!/<\w[^>]*>/u.test(html)) return;
    for (const words of html.replaceAll(TAG, FILLED_IN).split(FILLED_IN)) note(node, words);
  };
  /** The texts an expression may come to, as far as they stand in it. */
  const noteValues = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) note(node, node.text);
    else if (ts.isTemplateExpression(node))
      note(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' '));
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(noteValues);
    else if (ts.isBinaryExpression(node) && isJoining(node.operatorToken.kind))
      [node.left, node.right].forEach(noteValues);
    else if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
      noteValues(node.expression);
  };
  const walk = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      strings.add(node.text);
      if (isServer) noteHtml(node, node.text);
      else if (SENTENCE.test(node.text) && !isForDevelopers(node)) note(node, node.text);
    }
    if (ts.isTemplateExpression(node)) {
      patterns.push(patternOf(node));
      if (isServer)
        noteHtml(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(FILLED_IN));
      else if (SENTENCE.test(node.head.text) && !isForDevelopers(node)) noteValues(node);
    }
    if (ts.isJsxText(node)) note(node, node.text);
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) noteValues(node.expression);
    if (ts.isJsxAttribute(node) && node.initializer && SEEN.test(node.name.getText(file))) {
      noteValues(
        ts.isJsxExpression(node.initializer) ? (node.initializer.expression ?? node.initializer) : node.initializer,
      );
    }
    if (!isServer && ts.isPropertyAssignment(node) && SEEN.test(node.name.getText(file)) && !isId(node.initializer))
      noteValues(node.initializer);
    ts.forEachChild(node, walk);
  };
  walk(file);

  const literalWords = [...found].map(
    ([node, text]) => `${name}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}: '${text}'`,
  );
  return { literalWords, strings, patterns };
}

const isJoining = (kind: ts.SyntaxKind) =>
  [
    ts.SyntaxKind.PlusToken,
    ts.SyntaxKind.AmpersandAmpersandToken,
    ts.SyntaxKind.BarBarToken,
    ts.SyntaxKind.QuestionQuestionToken,
  ].includes(kind);

/** A property that holds the id of a text, e.g. `label: 'common.home'`. */
const isId = (node: ts.Expression): boolean =>
  ts.isAsExpression(node) || ts.isSatisfiesExpression(node)
    ? isId(node.expression)
    : ts.isStringLiteral(node) && /^[a-z][\w-]*(?:\.[\w-]+)*$/u.test(node.text);

/** What is thrown at programmers, or told to the console, speaks English, like the code. */
function isForDevelopers({ parent }: ts.Node): boolean {
  if (ts.isBinaryExpression(parent) || ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent))
    return isForDevelopers(parent);
  if (ts.isCallExpression(parent)) return parent.expression.getText().startsWith('console.');
  return (
    (ts.isNewExpression(parent) && /(?:Error|Exception)$/u.test(parent.expression.getText())) ||
    ts.isLiteralTypeNode(parent)
  );
}

function patternOf({ head, templateSpans }: ts.TemplateExpression): RegExp {
  const literals = [head.text, ...templateSpans.map(({ literal }) => literal.text)];
  return new RegExp(`^${literals.map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, '\\$&')).join('.+')}$`, 'u');
}
