import type { Reference } from './openapi.ts';

/**
 * Collects the components of one section of the API document, e.g. `responses`. An object that several operations use
 * becomes a component. An object that only one operation uses stays in that operation.
 */
export class ComponentCollector<T extends object> {
  readonly #section: string;
  readonly #components = new Map<string, T>();
  /** The names of the components, by the content of each component as JSON. */
  readonly #names = new Map<string, string>();
  /** The descriptions of all uses of an object, by the content of the object as JSON. */
  readonly #descriptions = new Map<string, string[]>();

  constructor(section: string) {
    this.#section = section;
  }

  /**
   * Adds a component and returns a reference to it.
   * @throws if a different component already has the name
   */
  add(name: string, object: T): Reference {
    const existing = this.#components.get(name);
    if (existing && JSON.stringify(existing) !== JSON.stringify(object))
      throw new Error(`The API document has two different ${this.#section} with the name ${name}`);
    this.#components.set(name, object);
    this.#names.set(contentOf(object), name);
    return { $ref: `#/components/${this.#section}/${name}` };
  }

  /**
   * Counts one use of an object in the API document. Call the returned function after all uses are counted. This
   * function returns a reference if the object is a component or is used several times. Otherwise, it returns the
   * object itself.
   */
  use(name: string | null, object: T): () => T | Reference {
    const content = contentOf(object);
    const descriptions = this.#descriptions.get(content) ?? [];
    this.#descriptions.set(content, [...descriptions, descriptionOf(object) ?? '']);
    return () => {
      const existing = this.#names.get(content);
      if (existing !== undefined) return this.#referTo(existing, object);
      const uses = this.#descriptions.get(content) ?? [];
      if (name === null || uses.length === 1) return object;
      this.add(name, new Set(uses).size === 1 ? object : { ...object, description: SHARED_DESCRIPTION });
      return this.#referTo(name, object);
    };
  }

  /** Returns all components in alphabetical order of their names. */
  toRecord(): Readonly<Record<string, T>> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #referTo(name: string, object: T): Reference {
    const $ref = `#/components/${this.#section}/${name}`;
    const description = descriptionOf(object);
    const isOfComponent = description === descriptionOf(this.#components.get(name) ?? {});
    return description === undefined || isOfComponent ? { $ref } : { $ref, description };
  }
}

/** The description of a component whose uses have different descriptions. */
const SHARED_DESCRIPTION = 'Each operation describes this response.';

function descriptionOf(object: object): string | undefined {
  return (object as { readonly description?: string }).description;
}

/**
 * Returns the content of an object as JSON, without its description. Objects that differ only in the description share
 * one component, because a reference can have its own description.
 */
function contentOf(object: object): string {
  const { description: _description, ...content } = object as { readonly description?: string };
  return JSON.stringify(content);
}
