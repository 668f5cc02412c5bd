/** The shape of a text tree with every leaf a string: what the other language must have. */
export type Texts<T> = { [K in keyof T]: T[K] extends string ? string : Texts<T[K]> };
