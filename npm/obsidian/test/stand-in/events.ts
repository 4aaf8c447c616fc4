// Events and components, as Obsidian unloads them.
import type * as O from 'obsidian';

interface Ref extends O.EventRef {
  events: Events;
  name: string;
  callback: (...data: never[]) => unknown;
}

/** Listeners that are registered now, in all objects. */
export const listening = new Set<Ref>();

export class Events implements Pick<O.Events, 'on' | 'off' | 'offref' | 'trigger'> {
  readonly #refs = new Set<Ref>();

  on(name: string, callback: (...data: never[]) => unknown): O.EventRef {
    const ref: Ref = { events: this, name, callback };
    this.#refs.add(ref);
    listening.add(ref);
    return ref;
  }

  off(name: string, callback: (...data: never[]) => unknown): void {
    for (const ref of this.#refs) if (ref.name === name && ref.callback === callback) this.offref(ref);
  }

  offref(ref: O.EventRef): void {
    this.#refs.delete(ref as Ref);
    listening.delete(ref as Ref);
  }

  trigger(name: string, ...data: unknown[]): void {
    for (const ref of [...this.#refs]) if (ref.name === name) ref.callback(...(data as never[]));
  }
}

export class Component implements Pick<O.Component, 'load' | 'onload' | 'unload' | 'onunload' | 'addChild' | 'removeChild' | 'register' | 'registerEvent'> {
  #isLoaded = false;
  readonly #children = new Set<Component>();
  #ends: (() => unknown)[] = [];

  load(): void | Promise<void> {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const loading = this.onload();
    for (const child of this.#children) void child.load();
    return loading;
  }

  onload(): void | Promise<void> {}

  unload(): void {
    if (!this.#isLoaded) return;
    this.#isLoaded = false;
    for (const child of [...this.#children].reverse()) child.unload();
    this.#children.clear();
    for (const end of this.#ends.splice(0).reverse()) end();
    this.onunload();
  }

  onunload(): void {}

  addChild<T>(child: T): T {
    this.#children.add(child as Component);
    if (this.#isLoaded) void (child as Component).load();
    return child;
  }

  removeChild<T>(child: T): T {
    if (this.#children.delete(child as Component)) (child as Component).unload();
    return child;
  }

  register(end: () => unknown): void {
    this.#ends.push(end);
  }

  registerEvent(ref: O.EventRef): void {
    this.register(() => (ref as Ref).events.offref(ref));
  }

  registerDomEvent(element: EventTarget, type: string, callback: (event: never) => unknown): void {
    element.addEventListener(type, callback as EventListener);
    this.register(() => element.removeEventListener(type, callback as EventListener));
  }
}
