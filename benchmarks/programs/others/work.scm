; Calls, lists and continuations.
(define (tak x y z)
  (if (not (< y x)) z (tak (tak (- x 1) y z) (tak (- y 1) z x) (tak (- z 1) x y))))

(define (iota n) (let loop ((i (- n 1)) (l '())) (if (< i 0) l (loop (- i 1) (cons i l)))))

(define (filter keep? l)
  (cond ((null? l) '()) ((keep? (car l)) (cons (car l) (filter keep? (cdr l)))) (else (filter keep? (cdr l)))))

(define (quicksort l)
  (if (null? l) '()
      (let ((pivot (car l)) (rest (cdr l)))
        (append (quicksort (filter (lambda (x) (< x pivot)) rest))
                (list pivot)
                (quicksort (filter (lambda (x) (not (< x pivot))) rest))))))

(define (primes candidates)
  (if (null? candidates) '()
      (let ((prime (car candidates)))
        (cons prime (primes (filter (lambda (x) (not (= 0 (modulo x prime)))) (cdr candidates)))))))

(define (first-above l n) (call/cc (lambda (return) (for-each (lambda (x) (if (> x n) (return x))) l) #f)))

(display (tak 15 10 5)) (newline)
(display (apply + (quicksort (map (lambda (i) (modulo (* i 7919) 1009)) (iota 800))))) (newline)
(let again ((i 8))
  (if (> i 0) (begin (display (length (primes (cddr (iota 600))))) (newline) (again (- i 1)))))
(display (first-above (iota 1000) 800)) (newline)
