import { type RefObject, useEffect, useRef, useState } from "react";

/** The width of an element, as it is now; 0 until it is known. */
export function useWidth<T extends HTMLElement>(): readonly [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0)),
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
