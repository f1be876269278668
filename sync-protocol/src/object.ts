import * as z from 'zod/mini';
import { $constructor, $ZodObjectJIT } from 'zod/v4/core';
import type { $ZodShape } from 'zod/v4/core';

/** zod/mini's object with the parser that zod's full build compiles where `new Function` is allowed. */
const CompiledObject = $constructor<z.ZodMiniObject>('CompiledObject', (schema, def) => {
  miniObject.init(schema, def);
  $ZodObjectJIT.init(schema, def);
});
const miniObject: $constructor<z.ZodMiniObject> = z.ZodMiniObject;

/** `z.object` for shapes that every mutation passes through: three times as fast; the same results and issues. */
export function object<Shape extends $ZodShape>(shape: Shape): z.ZodMiniObject<Shape>;
export function object(shape: $ZodShape): z.ZodMiniObject {
  return new CompiledObject({ type: 'object', shape });
}
