import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Matches text that needs no translation, such as the name of the product, symbols and units. */
const WORDLESS = /^(?:Alpenglow|[^\p{L}]|h|min|s)*$/u;
const ADDRESS = /^(?:https?:\/\/\S*|[\w.@-]+\.\w{2,})$/u;
/** Matches the attributes and properties whose text a visitor sees or a screen reader reads. */
const VISIBLE_ATTRIBUTES = new RegExp(
  `^(?:${[
    'aria-(?:label|description|valuetext|roledescription)',
    'alt|placeholder',
    '(?:\\w+-?)*(?:label|title|hint|text|legend|message|lead|heading|caption|summary)',
    'children|error|notYet',
  ].join('|')})$`,
  'iu',
);
/** Matches the beginning of a sentence. */
const SENTENCE = /^\p{Lu}\p{Ll}+(?: \p{L}+)+/u;
/** Placeholder for the expressions and tags in a text. */
const PLACEHOLDER = '\0';
const TAG = /<[^>]*>/gu;

export interface SourceTexts {
  /** A line `file:line: 'text'` for each untranslated text in the code. */
  readonly untranslatedTexts: readonly string[];
  /** All strings in the code, which include the ids of translated texts. */
  readonly strings: ReadonlySet<string>;
  readonly patterns: readonly RegExp[];
}

/** Returns the TypeScript files below a folder, except files that are used only in development or tests. */
export function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/u.test(entry.name) && !/\.(?:test|d)\.tsx?$/u.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !/\/(?:dev|node_modules|dist)\//u.test(file));
}

export const sourceTextsOfFile = (file: string, root: string): SourceTexts =>
  sourceTextsOf(readFileSync(file, 'utf8'), path.relative(root, file));

/**
 * Returns the untranslated texts of a source file. Also returns all its strings, and patterns that match the results of
 * its template strings.
 */
export function sourceTextsOf(source: string, name: string): SourceTexts {
  const file = ts.createSourceFile(
    name,
    source,
    ts.ScriptTarget.Latest,
    true,
    name.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  // Most texts of a server are for operators and programs, so only the texts in its HTML are checked.
  const isServer = name.includes('/server/');
  const textsByNode = new Map<ts.Node, string>();
  const strings = new Set<string>();
  const patterns: RegExp[] = [];

  const record = (node: ts.Node, text: string) => {
    if (!WORDLESS.test(text) && !ADDRESS.test(text.trim())) textsByNode.set(node, text.trim());
  };
  const recordHtml = (node: ts.Node, html: string) => {
    if (!/<\w[^>]*>/u.test(html)) return;
    for (const text of html.replaceAll(TAG, PLACEHOLDER).split(PLACEHOLDER)) record(node, text);
  };
  /** Records the literal texts that an expression can evaluate to. */
  const recordValues = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) record(node, node.text);
    else if (ts.isTemplateExpression(node))
      record(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' '));
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(recordValues);
    else if (ts.isBinaryExpression(node) && isCombiningOperator(node.operatorToken.kind))
      [node.left, node.right].forEach(recordValues);
    else if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
      recordValues(node.expression);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      strings.add(node.text);
      if (isServer) recordHtml(node, node.text);
      else if (SENTENCE.test(node.text) && !isForDevelopers(node)) record(node, node.text);
    }
    if (ts.isTemplateExpression(node)) {
      patterns.push(patternOf(node));
      if (isServer)
        recordHtml(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(PLACEHOLDER));
      else if (SENTENCE.test(node.head.text) && !isForDevelopers(node)) recordValues(node);
    }
    if (ts.isJsxText(node)) record(node, node.text);
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) recordValues(node.expression);
    if (ts.isJsxAttribute(node) && node.initializer && VISIBLE_ATTRIBUTES.test(node.name.getText(file))) {
      recordValues(
        ts.isJsxExpression(node.initializer) ? (node.initializer.expression ?? node.initializer) : node.initializer,
      );
    }
    if (
      !isServer &&
      ts.isPropertyAssignment(node) &&
      VISIBLE_ATTRIBUTES.test(node.name.getText(file)) &&
      !isId(node.initializer)
    )
      recordValues(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(file);

  const literalWords = [...textsByNode].map(
    ([node, text]) => `${name}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}: '${text}'`,
  );
  return { untranslatedTexts: literalWords, strings, patterns };
}

const isCombiningOperator = (kind: ts.SyntaxKind) =>
  [
    ts.SyntaxKind.PlusToken,
    ts.SyntaxKind.AmpersandAmpersandToken,
    ts.SyntaxKind.BarBarToken,
    ts.SyntaxKind.QuestionQuestionToken,
  ].includes(kind);

/** Checks whether a property contains the id of a translated text, e.g. `label: 'common.home'`. */
const isId = (node: ts.Expression): boolean =>
  ts.isAsExpression(node) || ts.isSatisfiesExpression(node)
    ? isId(node.expression)
    : ts.isStringLiteral(node) && /^[a-z][\w-]*(?:\.[\w-]+)*$/u.test(node.text);

/**
 * Checks whether a text is part of an error or of console output. Such a text is for developers and remains English.
 */
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
